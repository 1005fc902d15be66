import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount, textOf } from '../../caller.ts';

const url = inject('meshUrl');
const fields = {
  agent_name: 'poet',
  agent_model: 'echo/echo',
  agent_description: 'Writes verse.',
  agent_instruction: 'Answer in verse.',
  agent_type: 'llm',
};

interface Issue {
  readonly loc: (string | number)[];
  readonly msg: string;
}
interface Refusal {
  readonly detail: string | Issue[];
  readonly code?: string;
}
interface Agent extends Record<string, unknown> {
  readonly agent_id: number;
  readonly version: number;
}

let ada: Caller;
let bob: Caller;
beforeAll(async () => {
  [ada, bob] = await Promise.all([newAccount(url), newAccount(url)]);
});

/** Creates an agent and returns its number. */
async function create(caller: Caller, over: object = {}): Promise<number> {
  const answer = await caller.request<{ agent_id: string }>('POST', '/api/agents', { ...fields, ...over });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return Number(answer.body.agent_id.slice('agent'.length));
}

const issues = async (caller: Caller, over: object): Promise<Issue[]> => {
  const { status, body } = await caller.request<Refusal>('POST', '/api/agents', { ...fields, ...over });
  expect(status).toBe(422);
  return body.detail as Issue[];
};

describe('records', () => {
  test('an agent is created, listed, read, replaced and deleted like in the reference', async () => {
    const caller = await newAccount(url);
    const made = await caller.request<{ agent_id: string }>('POST', '/api/agents', {
      ...fields,
      owner_id: 'eve@evil.example',
      organization_id: 'x',
    });
    expect(made.status).toBe(200);
    expect(Object.keys(made.body)).toEqual(
      'agent_id agent_name agent_model agent_description owner_id organization_id created_at message'.split(' '),
    );
    expect(made.body).toMatchObject({ agent_id: expect.stringMatching(/^agent\d+$/), organization_id: 'example.com' });
    const id = Number(made.body.agent_id.slice(5));
    const list = await caller.request<Agent[]>('GET', '/api/agents');
    expect(list.body).toMatchObject([
      { ...fields, agent_id: id, version: 1, agent_tools: [], tools: [], sub_agents: [] },
    ]);
    expect(JSON.stringify(list.body)).not.toContain('evil');

    const replaced = await caller.request<Agent>('PUT', `/api/agents/${id}`, {
      ...fields,
      agent_tools: ['http_get'],
      tags: ['t'],
    });
    expect(replaced).toMatchObject({
      status: 200,
      body: { agent_id: id, version: 2, agent_tools: ['http_get'], tags: ['t'] },
    });
    for (const path of [id, `agent${id}`, `${id}.0`]) {
      const read = await caller.request<Agent>('GET', `/api/agents/${path}`);
      expect(read).toMatchObject({ status: 200, body: { agent_id: id, version: 2, tools: ['http_get'] } });
      expect(read.headers.get('etag')).toBe('"2"');
    }
    expect((await caller.fetch('POST', `/api/agents/${id}/reload`)).status).toBe(204);
    const deleted = await caller.request('DELETE', `/api/agents/${id}`);
    expect(deleted).toMatchObject({ status: 200, body: { message: expect.any(String) as string } });
    expect((await caller.request('GET', `/api/agents/${id}`)).status).toBe(404);
    expect((await caller.request('GET', '/api/agents')).body).toEqual([]);
  });

  test('an agent of another account answers like one that does not exist, and nonsense with 422', async () => {
    const id = await create(ada, { agent_name: 'private' });
    const calls = [
      ['GET', ''],
      ['PUT', '', fields],
      ['DELETE', ''],
      ['POST', '/reload'],
      ['GET', '/versions'],
      ['POST', '/versions/1/restore'],
      ['GET', '/yaml'],
    ] as const;
    for (const [method, path, body] of calls) {
      for (const [agent, status] of [
        [String(id), 404],
        ['2000000000', 404],
        ['99999999999999', 404],
        ['0', 404],
        ['poet', 422],
      ] as const) {
        const answer = await bob.request<Refusal>(method, `/api/agents/${agent}${path}`, body);
        expect(`${method} ${path} ${agent} ${answer.status}`).toBe(`${method} ${path} ${agent} ${status}`);
        if (status === 404) expect(answer.body).toEqual({ detail: 'Agent not found', code: 'agent_not_found' });
      }
    }
    expect((await ada.request('GET', `/api/agents/${id}`)).status).toBe(200);
  });

  test('a name is unique in its account only', async () => {
    await create(ada, { agent_name: 'twin' });
    await create(bob, { agent_name: 'twin' });
    const again = await ada.request<Refusal>('POST', '/api/agents', { ...fields, agent_name: ' twin ' });
    expect(again).toMatchObject({ status: 409, body: { code: 'agent_name_taken' } });
    const other = await create(ada, { agent_name: 'other' });
    const renamed = await ada.request<Refusal>('PUT', `/api/agents/${other}`, { ...fields, agent_name: 'twin' });
    expect(renamed.status).toBe(409);
  });

  test('of many replacements at once with the same If-Match, one wins', async () => {
    const id = await create(ada, { agent_name: 'contended' });
    const put = (text: string) =>
      fetch(`${url}/api/agents/${id}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json', 'if-match': '"1"' },
        body: JSON.stringify({ ...fields, agent_name: 'contended', agent_instruction: text }),
      });
    const statuses = (await Promise.all(['a', 'b', 'c', 'd', 'e'].map(put))).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 412, 412, 412, 412]);
    expect((await ada.request<Agent>('GET', `/api/agents/${id}`)).body.version).toBe(2);
  });

  test('versions are kept, and one is restored as a new version', async () => {
    const id = await create(ada, { agent_name: 'versioned' });
    await ada.request('PUT', `/api/agents/${id}`, { ...fields, agent_name: 'renamed', agent_instruction: 'second' });
    const restored = await ada.request<Agent>('POST', `/api/agents/${id}/versions/1/restore`);
    expect(restored).toMatchObject({ status: 200, body: { version: 3, agent_name: 'versioned' } });
    const { body } = await ada.request<{ version: number; agent: object }[]>('GET', `/api/agents/${id}/versions`);
    expect(body.map(({ version }) => version)).toEqual([3, 2, 1]);
    expect(body[1]).toMatchObject({ agent: { agent_name: 'renamed', agent_instruction: 'second' } });
    expect((await ada.request('POST', `/api/agents/${id}/versions/9/restore`)).status).toBe(404);
  });
});

describe('fields that cannot be used are refused with 422 that names them', () => {
  test.each([
    ['an unknown provider', { agent_model: 'acme/x' }, 'agent_model', 'acme/x'],
    ['an unknown tool', { agent_tools: ['http_gett'] }, 'agent_tools', 'http_gett'],
    ['an unknown type', { agent_type: 'swarm' }, 'agent_type', 'swarm'],
    ['an unknown sub-agent', { sub_agents: ['agent2000000000'] }, 'sub_agents', 'agent2000000000'],
    ['a sub-agent that is no id', { sub_agents: ['poet'] }, 'sub_agents', 'poet'],
    ['a workflow without agents', { agent_type: 'sequential' }, 'sub_agents', ''],
    ['a router without agents', { agent_type: 'router' }, 'sub_agents', ''],
    ['a setting of the wrong type', { agent_model_params: { temperature: 'hot' } }, 'agent_model_params', ''],
    ['guardrails', { guardrails_config: { block: ['x'] } }, 'guardrails_config', 'not supported'],
    ['MCP servers', { mcp_servers: [{ name: 'x' }] }, 'mcp_servers', 'not supported'],
    ['a blank name', { agent_name: '  ' }, 'agent_name', ''],
    ['a name with control characters', { agent_name: 'a\u0007b' }, 'agent_name', 'control'],
    ['two different lists of tools', { tools: [], agent_tools: ['http_get'] }, 'agent_tools', 'tools'],
  ])('%s', async (_what, over, field, text) => {
    const [issue] = await issues(ada, { agent_name: 'refused', ...over });
    expect(issue?.loc.slice(0, 2)).toEqual(['body', field]);
    expect(issue?.msg).toContain(text);
  });

  test('a sub-agent of another account, and one that was deleted', async () => {
    const foreign = await create(bob, { agent_name: 'foreign' });
    const [issue] = await issues(ada, { agent_name: 'boss', sub_agents: [`agent${foreign}`] });
    const gone = await create(ada, { agent_name: 'gone' });
    await ada.request('DELETE', `/api/agents/${gone}`);
    const [deleted] = await issues(ada, { agent_name: 'boss', sub_agents: [gone] });
    expect(issue).toMatchObject({
      loc: ['body', 'sub_agents', 0],
      msg: `"agent${foreign}" is not an agent of this account`,
    });
    expect(deleted).toMatchObject({ msg: `"agent${gone}" is not an agent of this account` });
  });

  test('circles of any length, also when two replacements meet', async () => {
    const caller = await newAccount(url);
    const a = await create(caller, { agent_name: 'a' });
    const b = await create(caller, { agent_name: 'b', sub_agents: [a] });
    const c = await create(caller, { agent_name: 'c', sub_agents: [b] });
    const put = (id: number, name: string, below: number[]) =>
      caller.request<Refusal>('PUT', `/api/agents/${id}`, { ...fields, agent_name: name, sub_agents: below });
    for (const below of [a, b, c]) {
      const refused = await put(a, 'a', [below]);
      expect(refused.status).toBe(422);
      expect(JSON.stringify(refused.body.detail)).toContain(`\\"agent${below}\\"`);
    }
    const [x, y] = [await create(caller, { agent_name: 'x' }), await create(caller, { agent_name: 'y' })];
    const met = await Promise.all([put(x, 'x', [y]), put(y, 'y', [x])]);
    expect(met.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422]);
  });

  test('a chain of 100 agents, and a tree that would grow without bound', async () => {
    const caller = await newAccount(url);
    let below: number[] = [];
    let refusal: Refusal | undefined;
    for (let level = 1; level <= 100 && refusal === undefined; level++) {
      const answer = await caller.request<Refusal & { agent_id: string }>('POST', '/api/agents', {
        ...fields,
        agent_name: `level${level}`,
        sub_agents: below,
      });
      if (answer.status === 200) below = [Number(answer.body.agent_id.slice(5))];
      else refusal = answer.body;
      expect(level).toBeLessThan(22);
    }
    expect(JSON.stringify(refusal)).toContain('levels of agents');
    let pair: number[] = [];
    let wide: Refusal | undefined;
    for (let level = 1; level <= 12 && wide === undefined; level++) {
      const names = [`l${level}`, `r${level}`];
      const answers = [];
      for (const name of names) {
        answers.push(
          await caller.request<Refusal & { agent_id: string }>('POST', '/api/agents', {
            ...fields,
            agent_name: name,
            sub_agents: pair,
          }),
        );
      }
      wide = answers.find(({ status }) => status === 422)?.body;
      pair = answers.map(({ body }) => Number(body.agent_id?.slice(5)));
    }
    expect(JSON.stringify(wide)).toContain('more than 100 agents');
  });

  test('an agent that others need is not deleted', async () => {
    const caller = await newAccount(url);
    const child = await create(caller, { agent_name: 'child' });
    const parent = await create(caller, { agent_name: 'parent', sub_agents: [child] });
    const refused = await caller.request<Refusal>('DELETE', `/api/agents/${child}`);
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'agent_in_use', detail: expect.stringContaining("'parent'") },
    });
    expect((await caller.request('DELETE', `/api/agents/${parent}`)).status).toBe(200);
    expect((await caller.request('DELETE', `/api/agents/${child}`)).status).toBe(200);
  });
});

describe('the app of an agent', () => {
  test('runs for its owner, and the next run uses a replacement', async () => {
    const id = await create(ada, { agent_name: 'runner', agent_tools: ['get_current_time'] });
    const session = await ada.createSession(`agent${id}`);
    const { body: events } = await ada.run(session, 'Hello, mesh');
    expect([events.at(-1)?.author, textOf(events.at(-1))]).toEqual(['runner', 'Hello, mesh']);
    expect((await ada.request<string[]>('GET', '/list-apps')).body).toContain(`agent${id}`);
    const info = await ada.request('GET', `/apps/agent${id}/app-info`);
    expect(info.body).toMatchObject({ name: `agent${id}`, rootAgentName: 'runner', description: 'Writes verse.' });
    await ada.request('PUT', `/api/agents/${id}`, { ...fields, agent_name: 'sprinter' });
    const { body: later } = await ada.run(session, 'Again');
    expect(later.at(-1)?.author).toBe('sprinter');
  });

  test('does not exist for anybody else: every route below it answers 404', async () => {
    const id = await create(ada, { agent_name: 'hidden' });
    const session = await ada.createSession(`agent${id}`);
    const unknown = 'agent2000000000';
    for (const app of [`agent${id}`, unknown, 'agent0', 'agent99999999999999']) {
      const base = `/apps/${app}/users/u1`;
      const run = {
        appName: app,
        userId: 'u1',
        sessionId: session.id,
        newMessage: { role: 'user', parts: [{ text: 'x' }] },
      };
      const calls: [string, string, unknown?][] = [
        ['GET', `/apps/${app}/app-info`],
        ['GET', `${base}/sessions`],
        ['POST', `${base}/sessions`, {}],
        ['GET', `${base}/sessions/${session.id}`],
        ['PATCH', `${base}/sessions/${session.id}`, { stateDelta: { a: 1 } }],
        ['DELETE', `${base}/sessions/${session.id}`],
        ['GET', `${base}/sessions/${session.id}/artifacts`],
        ['POST', `${base}/sessions/${session.id}/artifacts`, { filename: 'a', artifact: { text: 'x' } }],
        ['PATCH', `${base}/memory`, { sessionId: session.id }],
        ['POST', '/run', run],
        ['POST', '/run_sse', run],
      ];
      for (const [method, path, body] of calls) {
        const answer = await bob.request<Refusal>(method, path, body);
        expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} 404`);
      }
    }
    expect((await bob.request<string[]>('GET', '/list-apps')).body).not.toContain(`agent${id}`);
    expect((await ada.request('GET', `/apps/agent${id}/users/u1/sessions/${session.id}`)).status).toBe(200);
  });

  test('hands over to sub-agents, and workflows run them', async () => {
    const caller = await newAccount(url);
    const first = await create(caller, { agent_name: 'first step' });
    const second = await create(caller, { agent_name: 'second' });
    const flow = await create(caller, {
      agent_name: 'flow',
      agent_type: 'sequential',
      agent_model: '',
      sub_agents: [first, second, first],
    });
    const session = await caller.createSession(`agent${flow}`);
    const { body: events } = await caller.run(session, 'go');
    expect(events.map(({ author }) => author)).toEqual(['first_step', 'second', 'first_step_2']);
    const loop = await create(caller, {
      agent_name: 'loop',
      agent_type: 'loop',
      loop_max_iterations: 2,
      sub_agents: [second],
    });
    const looped = await caller.run(await caller.createSession(`agent${loop}`), 'go');
    expect(looped.body).toHaveLength(2);
    const router = await create(caller, { agent_name: 'router', agent_type: 'router', sub_agents: [second] });
    const routed = await caller.run(
      await caller.createSession(`agent${router}`),
      '[[tool:transfer_to_agent {"agent_name":"second"}]]',
    );
    expect(routed.body.map(({ author }) => author)).toContain('second');
  });

  test('that is deleted while it runs goes on to its end; a run that waits ends visibly as failed', async () => {
    const id = await create(ada, { agent_name: 'doomed' });
    const session = await ada.createSession(`agent${id}`);
    const running = ada.runSse(session, '[[wait:1500]] done');
    const stream = ada.stream(session, '[[wait:10]] queued');
    const queued = stream.next();
    await expect.poll(async () => (await ada.readSession(session)).events.length).toBeGreaterThan(0);
    expect((await ada.request('DELETE', `/api/agents/${id}`)).status).toBe(200);
    expect(textOf((await running).at(-1))).toContain('done');
    const frames = [(await queued).value, ...(await Array.fromAsync(stream))];
    expect(JSON.stringify(frames)).toContain('APP_NOT_FOUND');
    expect((await ada.request('GET', `/apps/agent${id}/users/u1/sessions/${session.id}`)).status).toBe(404);
  });
});

describe('YAML', () => {
  const text = async (caller: Caller, id: number) => (await caller.fetch('GET', `/api/agents/${id}/yaml`)).text();
  const send = (caller: Caller, method: string, path: string, body: string) =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${caller.token}`, 'content-type': 'application/yaml' },
      body,
    });
  const recordOf = async (caller: Caller, id: number) => {
    const { body } = await caller.request<Agent>('GET', `/api/agents/${id}`);
    const { agent_id: _id, version: _version, created_at: _at, updated_at: _then, owner_id: _o, ...record } = body;
    return record;
  };

  test('a record is exported and imported without loss', async () => {
    const [from, to] = await Promise.all([newAccount(url), newAccount(url)]);
    const full = {
      ...fields,
      agent_name: 'Mon agent préféré!',
      agent_type: 'base',
      agent_instruction: 'Line one\n  {city?}: "quoted" # not a comment\n',
      agent_model_params: { temperature: 0.2, max_tokens: 50, stop: 'END', custom: { a: [1] } },
      generate_content_config: { top_p: 0.5, thinking_config: { thinking_level: 'LOW' } },
      agent_tools: ['http_get', 'set_state'],
      output_key: 'verse',
      include_contents: 'none',
      disallow_transfer_to_peers: true,
      tags: ['a', { b: 1 }],
      agent_skills: ['rhyme'],
      memory_enabled: false,
      loop_exit_instruction: 'when done',
      output_schema: { type: 'object' },
    };
    const id = await create(from, full);
    const made = await send(to, 'POST', '/api/agents/yaml', await text(from, id));
    expect(made.status).toBe(200);
    const copy = Number(((await made.json()) as { agent_id: string }).agent_id.slice(5));
    expect(await recordOf(to, copy)).toEqual(await recordOf(from, id));
    expect(await text(to, copy)).toBe(await text(from, id));
    const edited = (await text(from, id))
      .replace('temperature: 0.2', 'temperature: 0.9')
      .replace('name: Mon_agent', 'name: My_agent');
    const replaced = await send(from, 'PUT', `/api/agents/${id}/yaml`, edited);
    expect(await replaced.json()).toMatchObject({
      version: 2,
      generate_content_config: { temperature: 0.9 },
      agent_name: expect.stringMatching(/^My_agent/),
    });
  });

  test('sub-agents are found by the names of their files, and mistakes have line and column', async () => {
    const caller = await newAccount(url);
    const hotels = await create(caller, { agent_name: 'hotels' });
    const travel = 'name: travel\nmodel: echo/echo\nsub_agents:\n  - config_path: workers/hotels.yaml\n';
    const made = await send(caller, 'POST', '/api/agents/yaml', travel);
    const { agent_id: id } = (await made.json()) as { agent_id: string };
    expect((await recordOf(caller, Number(id.slice(5)))).sub_agents).toEqual([`agent${hotels}`]);
    const bad = await send(caller, 'POST', '/api/agents/yaml', 'name: x\nmodle: echo/echo\n');
    expect(bad.status).toBe(422);
    expect(JSON.stringify(await bad.json())).toContain('2:1: is not a key here');
    for (const body of ['', '[', 'a: &a [*a]', '\0', 'just text']) {
      expect((await send(caller, 'POST', '/api/agents/yaml', body)).status).toBe(422);
    }
    expect((await send(caller, 'POST', '/api/agents/yaml', `# ${'x'.repeat(300_000)}`)).status).toBe(413);
  });
});
