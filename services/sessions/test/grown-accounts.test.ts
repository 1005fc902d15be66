import { randomUUID } from 'node:crypto';
import type { Database } from '@agentmesh/lib/pg';
import { Usage } from '@agentmesh/lib/usage';
import type { Turn } from '@agentmesh/proto/sessions/v1';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { heldBy, type SessionUsage } from '../src/account-usage.ts';
import { countAnew } from '../src/retention/count-anew.ts';
import { agentEvent, beginWith, json, newKey, readSession, startSessionsForFile } from './sessions.ts';
import { appendTo, completed, openTestDatabase } from './turns/drive-turns.ts';

const most = { SESSIONS_ACCOUNT_MAX_RUNS: '10', SESSIONS_ACCOUNT_MAX_STATE_BYTES: '2000' };
const service = startSessionsForFile(most);
let db: Database;

beforeAll(async () => {
  db = await openTestDatabase(service.databaseUrl);
});
afterAll(() => db[Symbol.asyncDispose]());

type Key = ReturnType<typeof newKey>;

async function newSession(over: Parameters<typeof newKey>[0] = {}): Promise<Key> {
  const key = newKey(over);
  await service.client.createSession({ session: key });
  return key;
}

async function run(session: Key, over: object = {}): Promise<Turn> {
  const { turn } = await service.client.beginTurn(beginWith(session, 'one', over));
  await service.client.appendEvents(appendTo(turn as Turn, [], completed));
  return turn as Turn;
}

const fullOfRuns = { code: 'resource_exhausted', reason: 'account_runs' };
const fullOfState = { code: 'resource_exhausted', reason: 'account_state' };

/** Counts anew like the job, as another process does, when what the service has counted is stored. */
async function countWhen(accountId: string, kind: string, atLeast: number): Promise<void> {
  const stored = { text: 'select number from usage where account_id = $1 and kind = $2' };
  const number = async () => (await db.query<{ number: bigint }>(stored, [accountId, kind]))[0]?.number ?? 0n;
  await vi.waitFor(async () => expect(Number(await number())).toBeGreaterThanOrEqual(atLeast), { timeout: 20_000 });
  const usage: SessionUsage = new Usage({ db, heldBy });
  const accountLimits = { sessions: 1e6, bytes: 1e6, runs: 10, state: 2_000 };
  await countAnew({ db, usage, accountLimits, draining: new AbortController().signal });
  await usage.sync();
}

const rowsIn = async (table: string, accountId: string): Promise<number> =>
  (await db.query({ text: `select 1 from ${table} where account_id = $1` }, [accountId])).length;

test('an account has as many runs as it may, also when their sessions are deleted; then the oldest ended ones make room', async () => {
  const { accountId } = newKey();
  const turns: Turn[] = [];
  while (turns.length < 10) {
    const session = await newSession({ accountId });
    turns.push(await run(session, { idempotencyKey: randomUUID() }));
    await service.client.deleteSession({ session });
  }
  const session = await newSession({ accountId });
  await expect(service.client.beginTurn(beginWith(session, 'more'))).rejects.toMatchObject(fullOfRuns);
  const inNew = beginWith({ ...session, sessionId: 'new' }, 'more', { createsSession: true });
  await expect(service.client.beginTurn(inNew)).rejects.toMatchObject(fullOfRuns);
  expect(await rowsIn('sessions', accountId)).toBe(1);
  await countWhen(accountId, 'runs', 10);
  const { runs } = await service.client.listRuns({ accountId });
  const ids = new Set(runs.map(({ invocationId }) => invocationId));
  expect(turns.map(({ invocationId }) => ids.has(invocationId))).toEqual([false, ...Array(9).fill(true)]);
  expect(await rowsIn('run_keys', accountId)).toBe(9);
  await vi.waitFor(() => run(session), { timeout: 20_000, interval: 200 });
});

test('an account has as many runs and keys of runs as it may, also of 250 that begin at once', async () => {
  const { accountId } = newKey();
  const begin = (number: number) => {
    const session = newKey({ accountId, sessionId: `s${number}` });
    const key = number % 2 === 0 ? randomUUID() : '';
    return service.client.beginTurn(beginWith(session, 'one', { createsSession: true, idempotencyKey: key }));
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 250 }, (_, number) => begin(number)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  expect(await rowsIn('runs', accountId)).toBe(10);
});

test('an account has as much state as it may, also of 250 changes at once', async () => {
  const { accountId } = newKey();
  const sessions = await Promise.all(Array.from({ length: 250 }, () => newSession({ accountId })));
  const patch = (session: Key) =>
    service.client.patchSession({ session, stateDeltaJson: json({ k: 'x'.repeat(200) }) });
  const outcomes = await Promise.allSettled(sessions.map(patch));
  // Each counts 267 bytes.
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
});

test('metadata of runs counts by its bytes', async () => {
  const session = await newSession();
  await run(session, { customMetadataJson: json({ k: 'x'.repeat(9 * 4_096) }) });
  await expect(service.client.beginTurn(beginWith(session, 'more'))).rejects.toMatchObject(fullOfRuns);
  await countWhen(session.accountId, 'runs', 10);
  expect(await rowsIn('runs', session.accountId)).toBe(0);
});

test('idempotency keys of runs are held to the same number, and forgotten ones make room', async () => {
  const session = await newSession();
  const { accountId } = session;
  const insert = `insert into run_keys (account_id, idempotency_key, invocation_id, request_sha256, expires_at)
    select $1, n::text, 'e-gone', '', now() + interval '1 hour' from generate_series(1, 10) n`;
  await db.query({ text: insert }, [accountId]);
  const usage: SessionUsage = new Usage({ db, heldBy });
  usage.add(accountId, { run_keys: 10 });
  await usage.sync();
  const missing = { ...session, sessionId: 'missing' };
  const keyed = () => service.client.beginTurn(beginWith(missing, 'one', { idempotencyKey: randomUUID() }));
  await vi.waitFor(() => expect(keyed()).rejects.toMatchObject(fullOfRuns), { timeout: 20_000, interval: 200 });
  await run(session);
  await db.query({ text: 'delete from run_keys where account_id = $1' }, [accountId]);
  await countWhen(accountId, 'run_keys', 10);
  await vi.waitFor(() => run(session, { idempotencyKey: randomUUID() }), { timeout: 20_000, interval: 200 });
});

test('state of users stays when their sessions go, and an account has as much of it as it may', async () => {
  const { accountId } = newKey();
  const stateJson = json({ 'user:a': 'x'.repeat(900) });
  const create = (userId: string) =>
    service.client.createSession({ session: newKey({ accountId, userId }), stateJson });
  for (const userId of ['one', 'two']) {
    const session = newKey({ accountId, userId });
    await service.client.createSession({ session, stateJson });
    await service.client.deleteSession({ session });
  }
  await expect(create('three')).rejects.toMatchObject(fullOfState);
  const session = await newSession({ accountId, userId: 'one' });
  const more = json({ b: 'x'.repeat(100) });
  await expect(service.client.patchSession({ session, stateDeltaJson: more })).rejects.toMatchObject(fullOfState);
  const begun = beginWith(session, 'one', { stateDeltaJson: more });
  await expect(service.client.beginTurn(begun)).rejects.toMatchObject(fullOfState);
  const { turn } = await service.client.beginTurn(beginWith(session, 'one'));
  const event = agentEvent(turn?.invocationId ?? '', 'two', { 'app:b': 'x'.repeat(100) });
  await expect(service.client.appendEvents(appendTo(turn as Turn, [event]))).rejects.toMatchObject(fullOfState);
  await service.client.appendEvents(appendTo(turn as Turn, [], completed));
  await service.client.patchSession({ session, stateDeltaJson: json({ 'user:a': null }) });
  await countWhen(accountId, 'state', 1_900);
  await vi.waitFor(() => create('three'), { timeout: 20_000, interval: 200 });
});

test('a value that is written again and again counts once when it is counted anew', async () => {
  const session = await newSession();
  for (let number = 0; number < 8; number++) {
    const write = () => service.client.patchSession({ session, stateDeltaJson: json({ a: 'x'.repeat(400), number }) });
    await write().catch(async () => {
      await countWhen(session.accountId, 'state', 1_400);
      await vi.waitFor(write, { timeout: 20_000, interval: 200 });
    });
  }
  expect((await readSession(service.client, session)).state).toMatchObject({ number: 7 });
});

test('a copy of a session is held to the same state', async () => {
  const session = newKey();
  const events = [agentEvent('e-1', 'hello', { a: 'x'.repeat(1_200) })];
  await service.client.createSession({ session, events });
  const fork = service.client.forkSession({ session, invocationId: 'e-1' });
  await expect(fork).rejects.toMatchObject(fullOfState);
  expect(await rowsIn('sessions', session.accountId)).toBe(1);
});
