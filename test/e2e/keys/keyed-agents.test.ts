import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount, textOf } from '../../caller.ts';
import { startFakeAnthropic } from '../../fakes/anthropic/index.ts';
import { startFakeGemini } from '../../fakes/gemini/index.ts';
import { startMcpServer } from '../../fakes/mcp/index.ts';
import { startFakeOpenAi } from '../../fakes/openai.ts';
import { startFakeResponses } from '../../fakes/openai-responses/index.ts';
import { startMesh, type TestMesh } from '../../mesh.ts';
import { SecretWatch } from '../../secret-watch.ts';
import { settledLog } from '../settled-log.ts';
import { fields } from '../agents/make-agent.ts';

const resources = new AsyncDisposableStack();
const watch = new SecretWatch();
const secret = watch.plant('key', 'sk-planted-key-of-an-agent-Zq8x');
const nextSecret = watch.plant('next key', 'sk-planted-next-key-of-an-agent-Yw7v');
const headerSecret = watch.plant('header', 'planted-value-of-a-header-Xu6t');
const loopback = '127.0.0.1/32';
const env = {
  LOG_LEVEL: 'trace',
  MODEL_API_BASE_ALLOW: loopback,
  RUNS_MCP_ALLOW: loopback,
};
let databaseUrl: string;
/** Further settings of processes that start from now on. */
let settingsOf: (word: string) => Record<string, string> = () => ({});
const only = ['auth', 'keys', 'runs', 'sessions'];
let mesh: TestMesh;
let caller: Caller;

beforeAll(async () => {
  databaseUrl = resources.use(await testDatabaseUrl()).url;
  mesh = resources.use(
    await startMesh({ mode: inject('mode'), only, databaseUrl, env, ownEnv: (word) => settingsOf(word) }),
  );
  caller = await newAccount(mesh.url);
});
afterAll(() => resources.disposeAsync());

interface Given {
  readonly provider: string;
  readonly base: string;
  readonly key?: string;
}

async function saveKey({ provider, base, key = secret }: Given): Promise<string> {
  const given = { key_name: 'k', provider, api_key_value: key, model_api_base: base };
  const { status, body } = await caller.request<{ api_key_id: string }>('POST', '/api/saved-api-keys', given);
  expect([status, JSON.stringify(body)]).toEqual([200, expect.not.stringContaining(key)]);
  return body.api_key_id;
}

/** Makes an agent and a session of it. */
async function makeAgent(model: string, params: object, over: object = {}) {
  const body = { ...fields, agent_name: `a${crypto.randomUUID().slice(0, 8)}`, agent_model: model, ...over };
  const made = await caller.request<{ agent_id: string }>('POST', '/api/agents', {
    ...body,
    agent_model_params: params,
  });
  expect([made.status, JSON.stringify(made.body)]).toEqual([200, expect.not.stringContaining(secret)]);
  return caller.createSession(made.body.agent_id);
}

const last = async (session: Parameters<Caller['run']>[0]) => (await caller.run(session, 'hello')).body.at(-1) ?? {};

describe('an agent runs on its saved key', () => {
  test.each([
    ['chat completions', 'openai/gpt-5-mini', 'openai', startFakeOpenAi],
    ['chat completions of another provider', 'openai/grok-4', 'xai', startFakeOpenAi],
    ['messages', 'anthropic/claude-sonnet-4-5', 'anthropic', startFakeAnthropic],
    ['generateContent', 'gemini/gemini-2.5-flash', 'google', startFakeGemini],
  ] as const)('by %s, and a rotated key serves at once', async (_, model, provider, start) => {
    const server = resources.use(await start({ apiKey: secret }));
    const next = resources.use(await start({ apiKey: nextSecret }));
    const id = await saveKey({ provider, base: server.baseUrl });
    const session = await makeAgent(model, { model_api_key: `saved:${id}` });
    expect(textOf((await last(session)) as never)).toBe('ok');
    const change = { api_key_value: nextSecret, model_api_base: next.baseUrl };
    expect((await caller.request('PATCH', `/api/saved-api-keys/${id}`, change)).status).toBe(200);
    expect(textOf((await last(session)) as never)).toBe('ok');
    expect([server.received, next.received]).toEqual([1, 1]);
    await caller.request('PATCH', `/api/saved-api-keys/${id}`, { api_key_value: secret });
    const refused = await last(session);
    expect(refused).toMatchObject({ errorCode: 'UNAUTHENTICATED' });
    const used = async () => {
      const { body } = await caller.request<{ last_used_at: string | null }>('GET', `/api/saved-api-keys/${id}`);
      return body.last_used_at;
    };
    await expect.poll(used).toMatch(/^20/);
    const usage = async () => {
      const path = `/api/usage?key=${id}&group_by=key`;
      return (await caller.request<{ usage: { requests: number }[] }>('GET', path)).body.usage[0];
    };
    await expect.poll(usage).toMatchObject({ key: id });
    expect((await caller.request('DELETE', `/api/saved-api-keys/${id}`)).status).toBe(200);
    expect(await last(session)).toMatchObject({ errorCode: 'KEY_NOT_FOUND', errorMessage: 'API key not found' });
  });

  test('given with the agent, and kept by __unchanged__', async () => {
    const server = resources.use(await startFakeOpenAi({ apiKey: secret }));
    const params = { model_api_key: secret, model_api_base: server.baseUrl };
    const session = await makeAgent('openai/gpt-5-mini', params);
    expect(textOf((await last(session)) as never)).toBe('ok');
    const { body: agent } = await caller.request('GET', `/api/agents/${session.appName}`);
    expect(agent).toMatchObject({ agent_model_params: { model_api_key: '__unchanged__' } });
    expect((await caller.request('PUT', `/api/agents/${session.appName}`, agent)).status).toBe(200);
    expect(textOf((await last(session)) as never)).toBe('ok');
    const list = await caller.request<object[]>('GET', '/api/saved-api-keys');
    expect(JSON.stringify(list.body)).not.toContain(server.baseUrl);
  });

  test('within the limit of the key', async () => {
    const server = resources.use(await startFakeOpenAi({ apiKey: secret }));
    const id = await saveKey({ provider: 'openai', base: server.baseUrl });
    const session = await makeAgent('openai/gpt-5-mini', { model_api_key: `saved:${id}` });
    await caller.request('PUT', `/api/usage/limits/${id}/day`, { requests: 1 });
    await last(session);
    const errorMessage = expect.stringContaining(`The limit of 1 requests per day of the key ${id} is reached until`);
    expect(await last(session)).toMatchObject({ errorCode: 'BUDGET_REACHED', errorMessage });
    expect(server.received).toBe(1);
  });
});

test('a key that was saved for an MCP server is sent to it, and to no other', async () => {
  const server = resources.use(await startMcpServer());
  const other = resources.use(await startMcpServer());
  const apiKey = `saved:${await saveKey({ provider: '', base: new URL(server.url).origin })}`;
  const withServer = ({ url }: { url: string }) => ({ mcp_servers: [{ url, api_key: apiKey, timeout: 60 }] });
  await last(await makeAgent('echo/echo', {}, withServer(server)));
  expect(server.calls.at(-1)?.headers).toMatchObject({ authorization: `Bearer ${secret}` });
  await last(await makeAgent('echo/echo', {}, withServer(other)));
  expect(other.calls).toEqual([]);
});

test('a value of a header is sent to its server, also where a former version is restored', async () => {
  const server = resources.use(await startMcpServer());
  const mcpServers = [{ url: server.url, headers: { 'x-vendor-key': headerSecret }, timeout: 60 }];
  const session = await makeAgent('echo/echo', {}, { mcp_servers: mcpServers });
  const path = `/api/agents/${session.appName}`;
  const { body: agent } = await caller.request<object>('GET', path);
  for (const headers of [{ 'x-vendor-key': '__unchanged__', 'x-team': 'a' }, undefined]) {
    const servers = [{ url: server.url, timeout: 60, ...(headers && { headers }) }];
    expect((await caller.request('PUT', path, { ...agent, mcp_servers: servers })).status).toBe(200);
  }
  for (const version of [1, 2]) {
    expect((await caller.request('POST', `${path}/versions/${version}/restore`)).status).toBe(200);
    await last(session);
    expect(server.calls.at(-1)?.headers).toMatchObject({ 'x-vendor-key': headerSecret });
  }
});

describe('after a restart with other settings', () => {
  const found = { id: '', session: undefined as Parameters<Caller['run']>[0] | undefined };

  beforeAll(async () => {
    const server = resources.use(await startFakeOpenAi({ apiKey: secret }));
    found.id = await saveKey({ provider: 'openai', base: server.baseUrl });
    found.session = await makeAgent('openai/gpt-5-mini', { model_api_key: `saved:${found.id}` });
    await last(found.session);
    const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
    const changed = {
      ENCRYPT_KEY: 'another encrypt key that is used by this test alone',
      RUNS_OPENAI_API: 'responses',
    };
    settingsOf = (word) => (['all', 'auth', 'gateway', 'keys', 'runs'].includes(word) ? changed : {});
    const words = inject('mode') === 'all' ? ['all'] : ['auth', 'gateway', 'keys', 'runs'];
    await Promise.all(words.map((word) => mesh.kill(word)));
    await mesh.restart();
    const signIn = { email, password: 'correct horse battery' };
    const { body } = await caller.request<{ access_token: string }>('POST', '/api/auth/token', signIn);
    caller.token = body.access_token;
  });

  test('a lost ENCRYPT_KEY ends runs with the reason, and nothing else notices', async () => {
    const { id, session = expect.fail('there is no session') } = found;
    const { body: key } = await caller.request('GET', `/api/saved-api-keys/${id}`);
    expect(key).toMatchObject({ status: 'needs_reentry', key_name: 'k', last_four: '', fingerprint: '' });
    expect(await last(session)).toMatchObject({ errorCode: 'KEY_NEEDS_REENTRY' });
    expect((await caller.request('POST', `/api/saved-api-keys/${id}/test`)).status).toBe(409);
    const echo = await caller.createSession('echo');
    expect(textOf((await last(echo)) as never)).toBe('hello');
  });

  test('an agent runs on a key that was entered again, by responses, where the settings say so', async () => {
    const { id, session = expect.fail('there is no session') } = found;
    const server = resources.use(await startFakeResponses({ apiKey: secret }));
    const change = { api_key_value: secret, model_api_base: server.baseUrl };
    expect((await caller.request('PATCH', `/api/saved-api-keys/${id}`, change)).status).toBe(200);
    expect(textOf((await last(session)) as never)).toBe('ok');
  });
});

test('no key and no value of a header is in a log line or a row of any table', async () => {
  watch.readLog(await settledLog(mesh));
  await watch.readDatabase(databaseUrl);
  expect(watch.places).toBeGreaterThan(100);
  expect(watch.leaks()).toEqual([]);
});
