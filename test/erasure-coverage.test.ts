import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Caller, newAccount, sessionPath } from './caller.ts';
import { dumpTables } from './dump-tables.ts';
import { agentsDir, startMesh, type TestMesh } from './mesh.ts';
import { mailedToken } from './outbox.ts';
import { SecretWatch } from './secret-watch.ts';

const services = fileURLToPath(new URL('../services', import.meta.url));
const resources = new AsyncDisposableStack();
let mesh: TestMesh;
let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = resources.use(await testDatabaseUrl()).url;
  const env = { AGENTS_DIR: agentsDir, RUNS_MCP_ALLOW: '127.0.0.1/32' };
  mesh = resources.use(await startMesh({ mode: 'all', databaseUrl, env }));
});
afterAll(() => resources.disposeAsync());

/** Tables that may keep the id of a deleted account. No other column of these rows is personal. */
const mayRemember = [
  'auth.account_changes',
  'auth.audit',
  'auth.erasure_parts',
  'auth.erasures',
  'auth.mail_tokens',
  'auth.outbox',
  'bus.dead_letters',
  'bus.messages',
  'sessions.outbox',
  'sessions.erased',
  'artifacts.erased',
  'keys.erased',
  'memory.erased',
  'runs.erased',
  'webhooks.erased',
];

const secretWord = 'pomegranate';

/** Creates an account with data in every service. */
async function resident() {
  const caller = await newAccount(mesh.url);
  const me = (await caller.request<{ user_id: number; email: string }>('GET', '/api/users/me')).body;
  const session = await caller.createSession('echo', { state: { own: secretWord, 'app:a': 1, 'user:u': 2 } });
  const consent = JSON.stringify({ connector: 'c', auth_uri: 'https://consent.example', nonce: secretWord });
  const asking = await caller.createSession('consent');
  expect((await caller.run(asking, `[[tool:request_credential ${consent}]]`)).status).toBe(200);
  const ran = await caller.run(session, `I like ${secretWord} [[tool:get_current_time {}]]`);
  expect(ran.status).toBe(200);
  const trace = `/runs/${ran.headers.get('x-invocation-id')}/trace`;
  const spans = async () => (await caller.request<{ spans: object[] }>('GET', trace)).body.spans.length;
  await expect.poll(spans, { timeout: 20_000 }).toBeGreaterThan(0);
  const artifact = { filename: 'a.txt', artifact: { text: secretWord } };
  expect((await caller.request('POST', `${sessionPath(session)}/artifacts`, artifact)).status).toBe(200);
  const memory = await caller.request('PATCH', '/apps/echo/users/u1/memory', { sessionId: session.id });
  expect(memory.status).toBe(200);
  const poet = { agent_name: secretWord, agent_model: 'echo/echo', agent_description: '', agent_instruction: '' };
  const away = { agent_type: 'llm', mcp_servers: [{ url: 'http://127.0.0.1:9/mcp' }] };
  const made = await caller.request<{ agent_id: string }>('POST', '/api/agents', { ...poet, ...away });
  expect(made.status).toBe(200);
  const warned = await caller.run(await caller.createSession(made.body.agent_id), 'hello');
  const log = `/runs/${warned.headers.get('x-invocation-id')}/log`;
  const lines = async () => (await caller.request<{ lines: object[] }>('GET', log)).body.lines.length;
  await expect.poll(lines, { timeout: 20_000 }).toBeGreaterThan(0);
  await caller.request('POST', '/api/auth/tokens', { name: secretWord, scopes: ['sessions:read'] });
  await caller.request('PATCH', `/api/users/${me.user_id}`, { full_name: secretWord });
  const key = { key_name: secretWord, provider: 'openai', api_key_value: 'sk-of-a-resident' };
  expect((await caller.request('POST', '/api/saved-api-keys', key)).status).toBe(200);
  expect((await caller.request('PUT', '/api/usage/limits/account/day', { requests: 5 })).status).toBe(200);
  const rule = { app_name: secretWord, days: 5 };
  expect((await caller.request('PUT', '/api/retention', { rules: [rule] })).status).toBe(200);
  await caller.request('POST', '/api/auth/forgot-password', { email: me.email });
  await mailedToken(mesh.dataDir, me.email, 'auth/reset-password');
  const claims = JSON.parse(Buffer.from(caller.token?.split('.')[1] ?? '', 'base64url').toString()) as { uid: string };
  return { caller, ...me, accountId: claims.uid };
}

/** Every table and every mail on disk that contains the secret word or the address. */
async function tracesOf(email: string): Promise<string[]> {
  const watch = new SecretWatch();
  watch.plant('secret word', secretWord);
  watch.plant('address', email);
  await watch.readDatabase(databaseUrl);
  await watch.readFolder(join(mesh.dataDir, 'outbox'));
  return watch.leaks();
}

describe('when its erasure is complete', () => {
  test('no data of an account is left in any table of any service, nor in mail on this disk', {
    timeout: 90_000,
  }, async () => {
    const { caller, user_id: id, email, accountId } = await resident();
    const traces = await tracesOf(email);
    expect(traces.filter((trace) => trace.startsWith('secret word in row')).length).toBeGreaterThan(4);
    expect(traces.filter((trace) => trace.startsWith('address in file'))).toHaveLength(1);
    const removed = await caller.fetch('DELETE', `/api/users/${id}`);
    const path = removed.headers.get('location') ?? '';
    const status = async () => (await new Caller(mesh.url).request<{ status: string }>('GET', path)).body.status;
    await expect.poll(status, { timeout: 60_000 }).toBe('complete');
    expect(await tracesOf(email)).toEqual([]);
    const lines = (await dumpTables(databaseUrl)).filter((line) => line.includes(accountId));
    const tables = new Set(lines.map((line) => line.split(' ')[0] ?? ''));
    expect([...tables].filter((table) => !mayRemember.includes(table))).toEqual([]);
    expect(tables).toContain('auth.audit');
  });
});

test('every service that stores data of accounts takes part in erasures', () => {
  const migrations = globSync('*/migrations/*.sql', { cwd: services });
  const ofAccounts = migrations.filter((file) => readFileSync(join(services, file), 'utf8').includes('account_id'));
  const storing = new Set(ofAccounts.map((file) => file.split(sep)[0] ?? ''));
  const list = readFileSync(join(services, 'auth/src/erasure/erasing-services.ts'), 'utf8');
  const named = new Set(Array.from(list.matchAll(/'([a-z]+)'/g), ([, word]) => word));
  expect(named).toEqual(storing.difference(new Set(['auth'])));
});
