import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';
import { type Agent, fields, makeAgent, type Refusal } from './make-agent.ts';

const url = inject('meshUrl');

let ada: Caller;
let bob: Caller;
beforeAll(async () => {
  [ada, bob] = await Promise.all([newAccount(url), newAccount(url)]);
});

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
      'agent_id app_name agent_name agent_model agent_description owner_id organization_id created_at message'.split(
        ' ',
      ),
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

  test('a list of models is kept as it is, also in YAML, and the next one takes over; a list of one is a text', async () => {
    const caller = await newAccount(url);
    // The first one has no key here.
    const models = ['anthropic/claude-sonnet-4-5', 'echo/echo'];
    const retry = { attempts: 2, initial_delay: 0.1 };
    const given = {
      agent_model: models,
      model_retries: 0,
      generate_content_config: { http_options: { retry_options: retry } },
    };
    const id = await makeAgent(caller, given);
    const read = await caller.request<Agent>('GET', `/api/agents/${id}`);
    expect(read.body).toMatchObject(given);
    expect(await (await caller.fetch('GET', `/api/agents/${id}/yaml`)).text()).toContain('- echo/echo');
    const { body } = await caller.run(await caller.createSession(`agent${id}`), 'hello');
    expect(body.at(-1)).toMatchObject({ customMetadata: { model: 'echo/echo', failed_models: [models[0]] } });
    const put = await caller.request<Agent>('PUT', `/api/agents/${id}`, { ...fields, agent_model: ['echo/echo'] });
    expect(put).toMatchObject({ status: 200, body: { agent_model: 'echo/echo' } });
    expect((await caller.request<Agent[]>('GET', '/api/agents')).body).toMatchObject([{ agent_model: 'echo/echo' }]);
  });

  test('an agent of another account answers like one that does not exist, and nonsense with 422', async () => {
    const id = await makeAgent(ada, { agent_name: 'private' });
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
    await makeAgent(ada, { agent_name: 'twin' });
    await makeAgent(bob, { agent_name: 'twin' });
    const again = await ada.request<Refusal>('POST', '/api/agents', { ...fields, agent_name: ' twin ' });
    expect(again).toMatchObject({ status: 409, body: { code: 'agent_name_taken' } });
    const other = await makeAgent(ada, { agent_name: 'other' });
    const renamed = await ada.request<Refusal>('PUT', `/api/agents/${other}`, { ...fields, agent_name: 'twin' });
    expect(renamed.status).toBe(409);
  });

  test('of many replacements at once with the same If-Match, one wins', async () => {
    const id = await makeAgent(ada, { agent_name: 'contended' });
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

  test('a deletion with the If-Match of an older version deletes nothing', async () => {
    const id = await makeAgent(ada, { agent_name: 'outdated' });
    await ada.request('PUT', `/api/agents/${id}`, { ...fields, agent_name: 'outdated' });
    const remove = async (version: string) => {
      const headers = { authorization: `Bearer ${ada.token}`, 'if-match': version };
      return (await fetch(`${url}/api/agents/${id}`, { method: 'DELETE', headers })).status;
    };
    expect(await remove('"1"')).toBe(412);
    expect((await ada.request<Agent[]>('GET', `/api/agents/${id}/versions`)).body).toHaveLength(2);
    expect(await remove('"2"')).toBe(200);
  });

  test('the list is read in pages', async () => {
    const eve = await newAccount(url);
    for (const name of ['one', 'two', 'three', 'four']) await makeAgent(eve, { agent_name: name });
    const read = async (query: string) => {
      const answer = await eve.fetch('GET', `/api/agents${query}`);
      const names = ((await answer.json()) as Agent[]).map(({ agent_name: name }) => name);
      return { names, next: answer.headers.get('x-next-cursor') };
    };
    expect(await read('')).toEqual({ names: ['one', 'two', 'three', 'four'], next: null });
    const first = await read('?limit=2');
    expect(first.names).toEqual(['one', 'two']);
    const second = await read(`?limit=1&cursor=${first.next}`);
    expect(second.names).toEqual(['three']);
    expect(await read(`?cursor=${second.next}`)).toEqual({ names: ['four'], next: null });
    expect((await eve.request('GET', '/api/agents?cursor=x')).status).toBe(422);
  });

  test('versions are kept, and one is restored as a new version', async () => {
    const id = await makeAgent(ada, { agent_name: 'versioned' });
    await ada.request('PUT', `/api/agents/${id}`, { ...fields, agent_name: 'renamed', agent_instruction: 'second' });
    const restored = await ada.request<Agent>('POST', `/api/agents/${id}/versions/1/restore`);
    expect(restored).toMatchObject({ status: 200, body: { version: 3, agent_name: 'versioned' } });
    const { body } = await ada.request<{ version: number; agent: object }[]>('GET', `/api/agents/${id}/versions`);
    expect(body.map(({ version }) => version)).toEqual([3, 2, 1]);
    expect(body[1]).toMatchObject({ agent: { agent_name: 'renamed', agent_instruction: 'second' } });
    expect((await ada.request('POST', `/api/agents/${id}/versions/9/restore`)).status).toBe(404);
  });

  test('versions that are kept have at most 4 MiB together, and the oldest go first', async () => {
    const long = { ...fields, agent_name: 'long', agent_instruction: 'x'.repeat(250 * 1024) };
    const id = await makeAgent(ada, long);
    for (let version = 2; version <= 18; version += 1) await ada.request('PUT', `/api/agents/${id}`, long);
    const { body } = await ada.request<{ version: number }[]>('GET', `/api/agents/${id}/versions`);
    expect(body.map(({ version }) => version)).toEqual(Array.from({ length: 16 }, (_, n) => 18 - n));
  });
});
