import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';
import { type Agent, fields, type Issue, makeAgent, type Refusal } from './make-agent.ts';

const url = inject('meshUrl');
const secret = 'sk-a-key-that-must-never-be-seen';

interface Params {
  readonly model_api_key?: string;
  readonly model_api_base?: string;
}

let ada: Caller;
let bob: Caller;
beforeAll(async () => {
  [ada, bob] = await Promise.all([newAccount(url), newAccount(url)]);
});

const openai = { ...fields, agent_model: 'openai/gpt-5-mini' };

/** Sends an agent and returns the answer; the secret must not be in it. */
async function send(method: string, path: string, params: Params, over: object = {}) {
  const body = { ...openai, ...over, agent_model_params: params };
  const answer = await ada.request<Refusal & Agent>(method, path, body);
  expect(JSON.stringify(answer.body)).not.toContain(secret);
  return answer;
}

async function saveKey(caller: Caller, over: object = {}): Promise<string> {
  const key = { key_name: 'mine', provider: 'openai', api_key_value: secret, ...over };
  const { body } = await caller.request<{ api_key_id: string }>('POST', '/api/saved-api-keys', key);
  return `saved:${body.api_key_id}`;
}

const paramsOf = async (id: number): Promise<Params> =>
  (await ada.request<{ agent_model_params: Params }>('GET', `/api/agents/${id}`)).body.agent_model_params;
const faultOf = ({ status, body }: { status: number; body: Refusal }): string => {
  const [issue] = body.detail as Issue[];
  return `${status} ${issue?.loc.at(-1)} ${issue?.msg}`;
};

describe('the key of an agent', () => {
  test('is answered as __unchanged__, which keeps it; a new one replaces it, none takes it away', async () => {
    const id = await makeAgent(ada, { ...openai, agent_name: 'raw', agent_model_params: { model_api_key: secret } });
    expect(await paramsOf(id)).toEqual({ model_api_key: '__unchanged__' });
    const path = `/api/agents/${id}`;
    const named = { agent_name: 'raw' };
    expect((await send('PUT', path, { model_api_key: '__unchanged__' }, named)).status).toBe(200);
    expect(await paramsOf(id)).toEqual({ model_api_key: '__unchanged__' });
    expect((await send('PUT', path, { model_api_key: `${secret}-2` }, named)).status).toBe(200);
    for (const shown of ['', '/yaml', '/versions']) {
      expect(await (await ada.fetch('GET', path + shown)).text()).not.toContain(secret);
    }
    expect((await send('PUT', path, {}, named)).status).toBe(200);
    expect(await paramsOf(id)).toEqual({});
    expect(faultOf(await send('PUT', path, { model_api_key: '__unchanged__' }, named))).toContain(
      '422 model_api_key there is no key',
    );
    expect((await ada.request('GET', '/api/saved-api-keys')).body).toEqual([]);
  });

  test('stays with its address and its provider', async () => {
    const base = 'https://models.example.com/v1';
    const params = { model_api_key: secret, model_api_base: base };
    const id = await makeAgent(ada, { ...openai, agent_name: 'based', agent_model_params: params });
    expect(await paramsOf(id)).toEqual({ model_api_key: '__unchanged__', model_api_base: base });
    const put = (over: Params, more: object = {}) =>
      send('PUT', `/api/agents/${id}`, { model_api_key: '__unchanged__', ...over }, { agent_name: 'based', ...more });
    expect((await put({ model_api_base: base })).status).toBe(200);
    expect(faultOf(await put({ model_api_base: 'https://evil.example.com/v1' }))).toContain(
      '422 model_api_base a changed address',
    );
    expect(faultOf(await put({}))).toContain('422 model_api_base');
    const other = { agent_model: 'anthropic/claude-sonnet-4-5' };
    expect(faultOf(await put({ model_api_base: base }, other))).toContain('422 model_api_key is a key of openai');
  });

  test('may be a saved key of the account, and of its model’s provider', async () => {
    const own = await saveKey(ada);
    const id = await makeAgent(ada, { ...openai, agent_name: 'saved', agent_model_params: { model_api_key: own } });
    expect(await paramsOf(id)).toEqual({ model_api_key: own });
    const yaml = await (await ada.fetch('GET', `/api/agents/${id}/yaml`)).text();
    expect(yaml).toContain(own);
    const kept = await send('PUT', `/api/agents/${id}`, { model_api_key: '__unchanged__' }, { agent_name: 'saved' });
    expect([kept.status, await paramsOf(id)]).toEqual([200, { model_api_key: own }]);
    const post = (params: Params, over: object = {}) =>
      send('POST', '/api/agents', params, { agent_name: 'refused', ...over });
    for (const key of [await saveKey(bob), 'saved:apikey999999999999', 'saved:apikey0', 'saved:mine']) {
      const answer = await post({ model_api_key: key });
      expect(`${key} ${answer.status}`).toBe(`${key} 422`);
    }
    expect(faultOf(await post({ model_api_key: own }, { agent_model: 'gemini/gemini-2.5-flash' }))).toContain(
      'is a key of openai',
    );
    const two = { agent_model: ['openai/gpt-5-mini', 'gemini/gemini-2.5-flash'] };
    expect(faultOf(await post({ model_api_key: own }, two))).toContain('models of one provider');
    expect(faultOf(await post({ model_api_key: secret }, two))).toContain('models of one provider');
    expect(faultOf(await post({ model_api_key: own, model_api_base: 'https://evil.example.com' }))).toContain(
      '422 model_api_base',
    );
  });

  test.each([
    ['fields are missing', { agent_model_params: { model_api_key: secret } }],
    ['parameters are a list', { ...openai, agent_model_params: [{ model_api_key: secret }] }],
    ['tools are wrong', { ...openai, agent_tools: { tool: { model_api_key: secret } } }],
    ['fields are a list', [{ model_api_key: secret }]],
  ])('is not in the answer when %s', async (_what, body) => {
    for (const [method, path] of [
      ['POST', '/api/agents'],
      ['PUT', '/api/agents/1'],
    ] as const) {
      const answer = await ada.request(method, path, body);
      expect(answer.status).toBe(422);
      expect(JSON.stringify(answer.body)).not.toContain(secret);
    }
  });

  test.each([
    ['with control characters', { model_api_key: `${secret}\n` }],
    ['of one megabyte', { model_api_key: 'k'.repeat(1_000_000) }],
    ['that is too short', { model_api_key: 'abc' }],
    ['with a loopback address', { model_api_key: secret, model_api_base: 'https://127.0.0.1/v1' }],
    ['with another literal of it', { model_api_key: secret, model_api_base: 'https://0x7f000001/v1' }],
    ['with the address of metadata', { model_api_key: secret, model_api_base: 'https://169.254.169.254/' }],
    ['with a mapped address', { model_api_key: secret, model_api_base: 'https://[::ffff:10.0.0.1]/' }],
    ['with plain http', { model_api_key: secret, model_api_base: 'http://models.example.com/v1' }],
    ['absent, with a private address', { model_api_base: 'https://10.0.0.1/v1' }],
    ['absent, with no address', { model_api_base: 'nowhere' }],
  ])('%s is refused, and nothing is stored', async (_what, params) => {
    const answer = await send('POST', '/api/agents', params, { agent_name: 'bad key' });
    expect(answer.status).toBe(422);
    const { body } = await ada.request<Agent[]>('GET', '/api/agents');
    expect(body.map((agent) => agent['agent_name'])).not.toContain('bad key');
  });
});
