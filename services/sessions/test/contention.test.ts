import { type Database, openDatabase, type Transaction } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentEvent, beginWith, newKey, parse, startSessionsForFile } from './sessions.ts';

// Another replica has an open transaction that ours waits for. When ours goes on, the data that it has read is out of date.

const service = startSessionsForFile();
let other: Database;

beforeAll(async () => {
  const migrations = new URL('../migrations/', import.meta.url);
  const log = createLogger({ level: 'silent', name: 'test' });
  other = await openDatabase({ service: 'sessions', url: service.databaseUrl, poolSize: 2, migrations }, log);
});
afterAll(() => other[Symbol.asyncDispose]());

async function newSession() {
  const session = newKey();
  await service.client.createSession({ session, events: [agentEvent('e-0', 'first')] });
  return session;
}

/** Starts `ours` while `theirs` holds the session in a transaction, waits until ours is blocked, and commits theirs. */
async function overtake<T>(sessionId: string, theirs: (tx: Transaction) => Promise<unknown>, ours: () => Promise<T>) {
  const { work } = await other.transaction(async (tx) => {
    await tx.query({ text: 'select 1 from sessions where id = $1 for update' }, [sessionId]);
    const work = ours();
    await expect.poll(waiters).toBeGreaterThan(0);
    await theirs(tx);
    return { work };
  });
  return work;
}

async function waiters(): Promise<number> {
  const text = 'select count(*)::int as n from pg_locks where not granted';
  return (await other.query<{ n: number }>({ text }))[0]?.n ?? 0;
}

const move = 'update sessions set version = version + 1, last_seq = last_seq + 1 where id = $1 returning pk, last_seq';

async function appendBehindOurBack(tx: Transaction, sessionId: string): Promise<void> {
  const [row] = await tx.query<{ pk: bigint; last_seq: number }>({ text: move }, [sessionId]);
  const text = `insert into events (account_id, session_pk, seq, event_id, invocation_id, author, ts, turn_start, body)
    select account_id, pk, last_seq, 'theirs', 'p-1', 'user', 1, false, '{"id":"theirs"}' from sessions where pk = $1`;
  await tx.query({ text }, [row?.pk]);
  const state = `insert into state (account_id, app_name, scope, key, value, bytes)
    select account_id, app_name, 'session:' || pk, 'theirs', 'true', 10 from sessions where pk = $1`;
  await tx.query({ text: state }, [row?.pk]);
}

test.each([
  ['a new run', {}],
  ['a run that names its invocation', { invocationId: 'e-1' }],
])('the turn of %s holds what another wrote while it waited', async (_, over) => {
  const session = await newSession();
  const { turn } = await overtake(
    session.sessionId,
    (tx) => appendBehindOurBack(tx, session.sessionId),
    () => service.client.beginTurn(beginWith(session, 'hello', over)),
  );
  expect(turn?.events.map((bytes) => parse(bytes).id)).toHaveLength(3);
  expect(turn?.events[1] && parse(turn.events[1]).id).toBe('theirs');
  expect(turn && parse(turn.stateJson)).toEqual({ theirs: true });
});

test('a run that was queued while the turn before it ended is granted', async () => {
  const session = await newSession();
  const { turn, invocationId } = await service.client.beginTurn(beginWith(session, 'hello'));
  const { sessionPk = 0n, fence = 0n, lastSeq = 0 } = turn ?? {};
  const { accountId, sessionId } = session;
  const end = { outcome: AttemptEnd_Outcome.COMPLETED };
  const queue = `with s as (update sessions set version = version + 1, queued = queued + 1 where id = $1 returning *)
    insert into runs (account_id, app_name, user_id, session_id, session_pk, invocation_id, status, owner, message)
    select account_id, app_name, user_id, id, pk, 'e-queued', 'queued', 'another', $2::json from s`;
  await overtake(
    sessionId,
    (tx) => tx.query({ text: queue }, [sessionId, '{"parts":[]}']),
    () => service.client.appendEvents({ accountId, sessionPk, invocationId, fence, lastSeq, end }),
  );
  const claim = { owner: 'another', window: 20, session, invocationId: 'e-queued' };
  const { turns } = await service.client.claimRuns(claim);
  expect(turns).toHaveLength(1);
});
