import { type Database, openDatabase } from '@agentmesh/lib/pg';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Caller, newAccount } from '../caller.ts';
import { startMesh, type TestMesh } from '../mesh.ts';

const resources = new AsyncDisposableStack();
const log = createLogger({ level: 'silent', name: 'test' });
const many = 6_000;
let databaseUrl: string;
let mesh: TestMesh;
let sessions: Database;

beforeAll(async () => {
  const { url } = resources.use(await testDatabaseUrl());
  databaseUrl = url;
  mesh = resources.use(await startMesh({ mode: 'separate', apart: ['auth', 'sessions'], databaseUrl: url }));
  const migrations = new URL('../../services/sessions/migrations/', import.meta.url);
  sessions = resources.use(await openDatabase({ service: 'sessions', url, poolSize: 2, migrations }, log));
});
afterAll(() => resources.disposeAsync());

interface Receipt {
  status: string;
  services: { service: string; counts: Record<string, number> }[];
}

const receiptAt = async (path: string) => (await new Caller(mesh.url).request<Receipt>('GET', path)).body;

async function countOf(accountId: string): Promise<number> {
  const text = 'select count(*)::integer as n from sessions where account_id = $1';
  const [row] = await sessions.query<{ n: number }>({ text }, [accountId]);
  return row?.n ?? -1;
}

/** Locks a session in the middle of those that are erased, so that an erasure stops there. The function that it returns releases the session. */
async function holdMiddle(accountId: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('begin');
  await client.query(`select from sessions.sessions where account_id = $1 and id = 's5' for update`, [accountId]);
  return () => client.end();
}

/** Creates an account with many sessions of one event each, and requests its deletion. `prepare` is called before that. */
async function deleted<Prepared>(prepare: (accountId: string) => Promise<Prepared>) {
  const caller = await newAccount(mesh.url);
  const claims = JSON.parse(Buffer.from(caller.token?.split('.')[1] ?? '', 'base64url').toString()) as { uid: string };
  const values = [claims.uid, many];
  const insert = `with made as (insert into sessions (account_id, app_name, user_id, id, last_seq, last_update_time)
      select $1, 'echo', 'u1', 's' || n, 1, 0 from generate_series(1, $2::integer) n returning pk)
    insert into events (account_id, session_pk, seq, event_id, invocation_id, author, ts, turn_start, body)
    select $1, pk, 1, 'e', 'i', 'user', 0, true, '{}' from made`;
  await sessions.query({ text: insert }, values);
  const prepared = await prepare(claims.uid);
  const me = (await caller.request<{ user_id: number }>('GET', '/api/users/me')).body;
  const answer = await caller.fetch('DELETE', `/api/users/${me.user_id}`);
  expect(answer.status).toBe(204);
  return { accountId: claims.uid, path: answer.headers.get('location') ?? '', prepared };
}

describe('an erasure whose services are killed in the middle of it', () => {
  test.each([
    ['sessions', 'sessions'],
    ['auth', 'auth'],
    ['all processes', undefined],
  ])('goes on, and its receipt counts everything once: kill -9 of %s', { timeout: 120_000 }, async (_, word) => {
    const { accountId, path, prepared: release } = await deleted(holdMiddle);
    await expect.poll(() => countOf(accountId)).toBeLessThan(many);
    await mesh.kill(word);
    // Without this the kill would have interrupted nothing.
    expect(await countOf(accountId)).toBeGreaterThan(0);
    await release();
    await mesh.restart();
    const status = async () => (await receiptAt(path).catch(() => undefined))?.status;
    await expect.poll(status, { timeout: 60_000 }).toBe('complete');
    const { services } = await receiptAt(path);
    expect(await countOf(accountId)).toBe(0);
    expect(services.find(({ service }) => service === 'sessions')?.counts).toMatchObject({
      sessions: many,
      events: many,
    });
  });
});

test('data that an older request writes after the deletion is also erased, and counted', {
  timeout: 120_000,
}, async () => {
  const { accountId, path } = await deleted(async () => undefined);
  await expect.poll(async () => (await receiptAt(path)).status, { timeout: 30_000 }).toBe('complete');
  const late = `insert into sessions (account_id, app_name, user_id, id, last_update_time) values ($1, 'echo', 'u1', 'late', 0)`;
  await sessions.query({ text: late }, [accountId]);
  await expect.poll(() => countOf(accountId), { timeout: 30_000 }).toBe(0);
  const counted = async () =>
    (await receiptAt(path)).services.find(({ service }) => service === 'sessions')?.counts.sessions;
  await expect.poll(counted).toBe(many + 1);
});
