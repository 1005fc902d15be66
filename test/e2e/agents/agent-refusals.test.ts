import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';
import { fields, type Issue, makeAgent, type Refusal } from './make-agent.ts';

const url = inject('meshUrl');

let ada: Caller;
let bob: Caller;
beforeAll(async () => {
  [ada, bob] = await Promise.all([newAccount(url), newAccount(url)]);
});

const issues = async (caller: Caller, over: object): Promise<Issue[]> => {
  const { status, body } = await caller.request<Refusal>('POST', '/api/agents', { ...fields, ...over });
  expect(status).toBe(422);
  return body.detail as Issue[];
};

describe('fields that cannot be used are refused with 422 that names them', () => {
  test.each([
    ['an unknown provider', { agent_model: 'acme/x' }, 'agent_model', 'acme/x'],
    [
      'an unknown model of a list',
      { agent_model: ['echo/echo', 'opneai/x'] },
      'agent_model',
      'Did you mean "openai/x"?',
    ],
    ['no model of a list', { agent_model: [] }, 'agent_model', ''],
    ['six models', { agent_model: Array.from({ length: 6 }, () => 'echo/echo') }, 'agent_model', ''],
    ['a text for a number of retries', { model_retries: 'many' }, 'model_retries', ''],
    [
      'an address for the model',
      { generate_content_config: { http_options: { base_url: 'https://a.example.com' } } },
      'generate_content_config',
      'is not a key here',
    ],
    ['an unknown tool', { agent_tools: ['http_gett'] }, 'agent_tools', 'http_gett'],
    ['an unknown type', { agent_type: 'swarm' }, 'agent_type', 'swarm'],
    ['an unknown sub-agent', { sub_agents: ['agent2000000000'] }, 'sub_agents', 'agent2000000000'],
    ['a sub-agent that is no id', { sub_agents: ['poet'] }, 'sub_agents', 'poet'],
    ['a workflow without agents', { agent_type: 'sequential' }, 'sub_agents', ''],
    ['a router without agents', { agent_type: 'router' }, 'sub_agents', ''],
    ['a setting of the wrong type', { agent_model_params: { temperature: 'hot' } }, 'agent_model_params', ''],
    ['guardrails', { guardrails_config: { block: ['x'] } }, 'guardrails_config', 'not supported'],
    [
      'a program',
      { mcp_servers: [{ url: 'https://a.example.com/', command: 'npx' }] },
      'mcp_servers',
      'is not a key here',
    ],
    ['a private MCP server', { mcp_servers: [{ url: 'https://10.0.0.1/mcp' }] }, 'mcp_servers', 'may not be reached'],
    [
      'a secret',
      { mcp_servers: [{ url: 'https://a.example.com/', headers: { cookie: 'a' } }] },
      'mcp_servers',
      'secret',
    ],
    ['a key', { mcp_servers: [{ url: 'https://a.example.com/', api_key: 'sk-1' }] }, 'mcp_servers', 'saved key'],
    ['a blank name', { agent_name: '  ' }, 'agent_name', ''],
    ['a name with control characters', { agent_name: 'a\u0007b' }, 'agent_name', 'control'],
    ['NUL in a tag', { tags: ['a', 'b\0'] }, 'tags', 'NUL'],
    ['NUL in a key', { output_schema: { type: 'object', properties: { 'a\0': {} } } }, 'output_schema', 'NUL'],
    ['half of a pair in a text', { default_answer: { text: 'a\ud83d' } }, 'default_answer', 'surrogate'],
    ['two different lists of tools', { tools: [], agent_tools: ['http_get'] }, 'agent_tools', 'tools'],
  ])('%s', async (_what, over, field, text) => {
    const [issue] = await issues(ada, { agent_name: 'refused', ...over });
    expect(issue?.loc.slice(0, 2)).toEqual(['body', field]);
    expect(issue?.msg).toContain(text);
  });

  test('a sub-agent of another account, and one that was deleted', async () => {
    const foreign = await makeAgent(bob, { agent_name: 'foreign' });
    const [issue] = await issues(ada, { agent_name: 'boss', sub_agents: [`agent${foreign}`] });
    const gone = await makeAgent(ada, { agent_name: 'gone' });
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
    const a = await makeAgent(caller, { agent_name: 'a' });
    const b = await makeAgent(caller, { agent_name: 'b', sub_agents: [a] });
    const c = await makeAgent(caller, { agent_name: 'c', sub_agents: [b] });
    const put = (id: number, name: string, below: number[]) =>
      caller.request<Refusal>('PUT', `/api/agents/${id}`, { ...fields, agent_name: name, sub_agents: below });
    for (const below of [a, b, c]) {
      const refused = await put(a, 'a', [below]);
      expect(refused.status).toBe(422);
      expect(JSON.stringify(refused.body.detail)).toContain(`\\"agent${below}\\"`);
    }
    const [x, y] = [await makeAgent(caller, { agent_name: 'x' }), await makeAgent(caller, { agent_name: 'y' })];
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
    const child = await makeAgent(caller, { agent_name: 'child' });
    const parent = await makeAgent(caller, { agent_name: 'parent', sub_agents: [child] });
    const refused = await caller.request<Refusal>('DELETE', `/api/agents/${child}`);
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'agent_in_use', detail: expect.stringContaining("'parent'") },
    });
    expect((await caller.request('DELETE', `/api/agents/${parent}`)).status).toBe(200);
    expect((await caller.request('DELETE', `/api/agents/${child}`)).status).toBe(200);
  });
});
