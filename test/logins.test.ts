import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { callersOf, createMesh, knownKeys, meshWord, readPrivateKey } from '@agentmesh/lib/rpc';
import { makeSecrets } from '@agentmesh/lib/service';
import { createLogger, createMetrics } from '@agentmesh/lib/telemetry';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newAccount } from './caller.ts';
import { contractMethods } from './contract-methods.ts';
import { words } from './deployed-settings.ts';
import { freePorts, startMesh, type TestMesh } from './mesh.ts';
import { runMain } from './start/run-main.ts';

// Separate processes, each with the key and the database login of its own service and nothing else.

let resources: AsyncDisposableStack;
let mesh: TestMesh;
let secrets: Record<string, string>;
let urls: Record<string, string>;
let adminUrl: string;

const variable = (word: string, name: string) => secrets[`${word.toUpperCase()}_${name}`] ?? '';

beforeAll(async () => {
  resources = new AsyncDisposableStack();
  adminUrl = resources.use(await testDatabaseUrl()).url;
  secrets = makeSecrets(words, adminUrl);
  const { code, output } = await runMain(['migrate'], { ...secrets, DATABASE_URL: adminUrl, LOG_LEVEL: 'silent' });
  if (code !== 0) throw new Error(output);
  const served = words.filter((word) => word !== 'gateway');
  const ports = await freePorts(served.length);
  urls = Object.fromEntries(served.map((word, index) => [word, `http://127.0.0.1:${ports[index]}`]));
  const addresses = Object.entries(urls).map(([word, url]) => [`MESH_${word.toUpperCase()}_URL`, url] as const);
  mesh = resources.use(
    await startMesh({
      mode: 'separate',
      env: { ...Object.fromEntries(addresses), MESH_IDENTITIES: secrets['MESH_IDENTITIES'] ?? '' },
      ownEnv: (word) => ({
        MESH_IDENTITIES: secrets['MESH_IDENTITIES'] ?? '',
        MESH_IDENTITY: variable(word, 'MESH_IDENTITY'),
        DATABASE_URL: variable(word, 'DATABASE_URL'),
        ...Object.fromEntries(addresses),
        ...(urls[word] !== undefined && { MESH_PORT: new URL(urls[word]).port }),
      }),
    }),
  );
}, 120_000);

afterAll(() => resources.disposeAsync());

/** Runs `work` with a connection of a service's login. */
async function asLogin<T>(word: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: variable(word, 'DATABASE_URL') });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const refusal = (statement: Promise<unknown>): Promise<string> =>
  statement.then(
    () => 'allowed',
    (error: unknown) => (error as { code: string }).code,
  );
const denied = '42501';

test('the mesh works: sign-up, a run, and the erasure of a deleted account by every service', async () => {
  const caller = await newAccount(mesh.url);
  const session = await caller.request('POST', '/apps/echo/users/u/sessions', { sessionId: 's' });
  expect(session.status).toBe(200);
  const newMessage = { role: 'user', parts: [{ text: 'hello' }] };
  const run = await caller.request('POST', '/run', { appName: 'echo', userId: 'u', sessionId: 's', newMessage });
  expect([run.status, JSON.stringify(run.body)]).toEqual([200, expect.stringContaining('hello')]);
  const { body: me } = await caller.request<{ user_id: number }>('GET', '/api/users/me');
  const removed = await caller.fetch('DELETE', `/api/users/${me.user_id}`);
  const receipt = async () => (await caller.request('GET', removed.headers.get('location') ?? '')).body;
  await expect.poll(receipt, { timeout: 60_000 }).toMatchObject({ status: 'complete' });
});

describe('the database login of a service', () => {
  test('reads the tables of its own schemas and of the bus, and of no other', async () => {
    const list = `select n.nspname as schema, c.oid::regclass::text as name from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema') order by 2`;
    for (const word of words) {
      const wrong = await asLogin(word, async (client) => {
        const { rows } = await client.query<{ schema: string; name: string }>(list);
        expect(rows.length).toBeGreaterThan(30);
        const found: string[] = [];
        for (const { schema, name } of rows) {
          const isOwn = [word, `${word}_jobs`, 'bus'].includes(schema);
          const outcome = await refusal(client.query(`select 1 from ${name} limit 1`));
          if ((outcome === 'allowed') !== isOwn) found.push(`${word} ${outcome} ${name}`);
        }
        return found;
      });
      expect(wrong).toEqual([]);
    }
  });

  test('is no superuser, becomes no other role, changes no table, and switches no trigger off', async () => {
    for (const word of words) {
      await asLogin(word, async (client) => {
        const { rows } = await client.query<{ name: string }>(
          `select rolname as name from pg_roles where rolname like 'agentmesh%' and rolname <> current_user`,
        );
        expect(rows.length).toBeGreaterThan(10);
        for (const { name } of rows)
          expect([name, await refusal(client.query(`set role ${name}`))]).toEqual([name, denied]);
        const statements = ['create role evil', 'create schema evil', "set session_replication_role = 'replica'"];
        if (word === 'auth') statements.push('alter table auth.audit disable trigger all', 'drop table auth.audit');
        for (const statement of statements) {
          expect([statement, await refusal(client.query(statement))]).toEqual([statement, denied]);
        }
      });
    }
  });

  test('of auth can only add to the audit', async () => {
    await asLogin('auth', async (client) => {
      for (const statement of ["update auth.audit set action = ''", 'delete from auth.audit', 'truncate auth.audit']) {
        expect([statement, await refusal(client.query(statement))]).toEqual([statement, denied]);
      }
    });
  });
});

test('each service calls exactly the methods whose contract names it', { timeout: 120_000 }, async () => {
  const wrong: string[] = [];
  const log = createLogger({ level: 'silent', name: 'test' });
  for (const word of words) {
    const key = readPrivateKey(variable(word, 'MESH_IDENTITY'));
    const identities = { own: new Map(key && [[word, key.key]]), known: knownKeys([]) };
    await using node = createMesh({ urls, identities, log, metrics: createMetrics({ processMetrics: false }) });
    for (const method of await contractMethods()) {
      const isAllowed = callersOf(method).has(word);
      // Other tests prove which calls are allowed; most of these calls would change something.
      if (isAllowed) continue;
      const client = node.as(word).client(method.parent) as unknown as Record<string, (request: unknown) => unknown>;
      const input = method.methodKind === 'client_streaming' ? (async function* () {})() : {};
      const answer = client[method.localName]?.(input);
      const outcome = await reasonOf(answer);
      if (outcome !== 'caller_refused') wrong.push(`${word} ${meshWord(method.parent)}.${method.name}: ${outcome}`);
    }
  }
  expect(wrong).toEqual([]);
});

/** The reason of a failed call; `answered` when it did not fail. */
async function reasonOf(answer: unknown): Promise<string> {
  try {
    if (answer instanceof Promise) await answer;
    else for await (const _ of answer as AsyncIterable<unknown>) break;
    return 'answered';
  } catch (error) {
    return (error as { reason?: string }).reason ?? String(error);
  }
}
