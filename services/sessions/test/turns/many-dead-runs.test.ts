import { recordStatements } from '@agentmesh/lib/pg/testing';
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { type SessionsClient, startSessionsForFile } from '../sessions.ts';
import { driveTurns } from './drive-turns.ts';

// Runs that were taken over stay with their heirs.
const env = { SESSIONS_LEASE_SECONDS: '3600' };
const service = startSessionsForFile(env);
const replica = startSessionsForFile(env, service);
const { askDatabase } = driveTurns(service);

interface Dead {
  readonly count: number;
  readonly appName?: string;
  readonly status?: 'running' | 'cancelling';
  /** Error code with which the run is being stopped. */
  readonly cause?: string;
  /** Seconds since the end of the lease. */
  readonly seconds?: number;
  /** Whether the dead executor has queued another run. */
  readonly isQueued?: boolean;
}

let accountId: string;
beforeEach(() => {
  accountId = randomUUID();
});

/** Sessions of the account, each with a run of an executor that is gone. */
async function leave({ count, appName = 'echo', status = 'running', cause, seconds = 1, isQueued = false }: Dead) {
  await askDatabase(
    `insert into sessions (account_id, app_name, user_id, id, last_seq, last_update_time, turn, fence, queued)
     select $1, $2, 'u', $2 || n, 1, 1, 'dead', 1, $3 from generate_series(1, $4::integer) n`,
    [accountId, appName, isQueued ? 1 : 0, count],
  );
  await askDatabase(
    `insert into events (account_id, session_pk, seq, event_id, invocation_id, author, ts, turn_start, body)
     select account_id, pk, 1, 'e', 'dead', 'user', 1, true, '{"author":"user","timestamp":1}' from sessions where account_id = $1 and app_name = $2`,
    [accountId, appName],
  );
  await askDatabase(
    `insert into runs (account_id, app_name, user_id, session_id, session_pk, invocation_id, status, owner, fence, attempt, first_seq, due_at, error_code)
     select account_id, app_name, user_id, id, pk, 'dead', $3, 'gone', 1, 1, 1, now() - make_interval(secs => $4), $5::text from sessions
     where account_id = $1 and app_name = $2`,
    [accountId, appName, status, seconds, cause ?? null],
  );
  if (!isQueued) return;
  await askDatabase(
    `insert into runs (account_id, app_name, user_id, session_id, session_pk, invocation_id, status, owner, message)
     select account_id, app_name, user_id, id, pk, 'next', 'queued', 'gone', '{"parts":[]}' from sessions where account_id = $1 and app_name = $2`,
    [accountId, appName],
  );
}

/** Runs of the account, by what the columns say. */
function countRuns(condition: string): Promise<number> {
  const text = `select count(*)::integer as n from runs where account_id = $1 and ${condition}`;
  return askDatabase<{ n: number }>(text, [accountId]).then(([row]) => row?.n ?? 0);
}

async function claim(client: SessionsClient, owner = 'heir'): Promise<string[]> {
  const request = { owner, window: 20, takesOver: true, apps: ['echo'] };
  const { turns } = await client.claimRuns(request, { timeoutMs: 30_000 });
  return turns.flatMap(({ session }) => (session?.accountId === accountId ? [session.sessionId] : []));
}

/** Claims until nothing is handed over any more; answers the sessions of the turns. */
async function claimAll(client: SessionsClient, owner = 'heir'): Promise<string[]> {
  const taken: string[] = [];
  for (let some = await claim(client, owner); some.length > 0; some = await claim(client, owner)) taken.push(...some);
  return taken;
}

test('each of many dead runs costs two statements, and sixteen of them one transaction', async () => {
  await leave({ count: 160 });
  using recorded = recordStatements();
  expect(await claimAll(service.client)).toHaveLength(160);
  const counts = [...recorded.counts].filter(([name]) => /dead|turns|usage|alive|adopt|events-of-run/.test(name));
  const sent = counts.reduce((sum, [, count]) => sum + count, 0);
  expect(sent).toBeLessThan(2 * 160);
  const text = 'select distinct xmin::text from runs where account_id = $1 and takeovers = 1';
  expect((await askDatabase(text, [accountId])).length).toBeLessThan(2 * 10);
});

test('two replicas take each of many dead runs over once', async () => {
  await leave({ count: 160, isQueued: true });
  const taken = await Promise.all([claimAll(service.client, 'one'), claimAll(replica.client, 'two')]);
  const sessions = taken.flat();
  expect([sessions.length, new Set(sessions).size]).toEqual([160, 160]);
  expect(await countRuns(`invocation_id = 'dead' and takeovers = 1 and attempt = 2 and fence = 2`)).toBe(160);
  // One that was slower may have adopted the run behind. It is told when that run gets the turn.
  expect(await countRuns(`invocation_id = 'next' and status = 'queued' and owner in ('one', 'two')`)).toBe(160);
});

test('an executor without room has all dead runs ended that it cannot go on with, by one call, in few transactions', async () => {
  await leave({ count: 600, status: 'cancelling', isQueued: true });
  await claim(service.client);
  expect(await countRuns(`invocation_id = 'dead' and status = 'cancelled'`)).toBe(600);
  expect(await countRuns(`invocation_id = 'next' and status = 'granted' and owner = 'heir'`)).toBe(600);
  const text = `select distinct xmin::text from events where account_id = $1 and seq = 2`;
  expect((await askDatabase(text, [accountId])).length).toBeLessThan(600 / 8);
  const twice = 'select from events where account_id = $1 group by session_pk having count(*) <> 2';
  expect(await askDatabase(twice, [accountId])).toEqual([]);
});

test('all dead runs that were being rolled back are rewound and ended by one call', async () => {
  await leave({ count: 40, status: 'cancelling', cause: 'ROLLED_BACK_BY_RUN', isQueued: true });
  await claim(service.client);
  expect(await countRuns(`invocation_id = 'dead' and status = 'interrupted'`)).toBe(40);
});

test('dead runs of apps that an executor does not have hide none of its own', async () => {
  await leave({ count: 300, appName: 'other', seconds: 20 });
  await leave({ count: 1 });
  expect(await claim(service.client)).toEqual(['echo1']);
  expect(await countRuns(`app_name = 'other' and status = 'running' and takeovers is null`)).toBe(300);
});
