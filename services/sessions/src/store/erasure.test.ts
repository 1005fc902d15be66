import { randomUUID } from 'node:crypto';
import { openDatabase, type Transaction } from '@agentmesh/lib/pg';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import { expect, test } from 'vitest';
import { eraseRest, eraseSomeSessions } from './erasure.ts';

/** In each session, and as many runs whose session is gone. */
const [sessions, events, runs, state] = [3, 2_000, 500, 300];

const fill = [
  `insert into sessions (account_id, app_name, user_id, id, last_seq, last_update_time)
   select $1::uuid, 'app', 'user', 's' || n, ${events}, 1 from generate_series(1, ${sessions}) n`,
  `insert into events (account_id, session_pk, seq, event_id, invocation_id, author, ts, turn_start, body)
   select account_id, pk, n, 'e' || n, 'i', 'user', n, false, '{}' from sessions, generate_series(1, ${events}) n where account_id = $1`,
  `insert into state (account_id, app_name, scope, key, value, bytes)
   select account_id, app_name, 'session:' || pk, 'k' || n, '1', 2 from sessions, generate_series(1, ${state}) n where account_id = $1`,
  `insert into runs (account_id, app_name, user_id, session_id, session_pk, invocation_id, status, owner, ended_at)
   select account_id, app_name, user_id, id, pk, 'i' || n, 'completed', 'o', case when n > 1 then now() end from sessions, generate_series(1, ${runs}) n
   where account_id = $1`,
  `insert into runs (account_id, app_name, user_id, session_id, session_pk, invocation_id, status, owner, ended_at)
   select $1::uuid, 'app', 'user', 'gone', -n, 'i', 'completed', 'o', now() from generate_series(1, ${runs}) n`,
];

test('erasing long sessions brings no row for each event, run or key of the state into the process', async () => {
  await using database = await testDatabaseUrl();
  const migrations = new URL('../../migrations/', import.meta.url);
  const log = createLogger({ level: 'silent', name: 'test' });
  await using db = await openDatabase({ service: 'sessions', url: database.url, poolSize: 2, migrations }, log);
  const accountId = randomUUID();
  for (const text of fill) await db.query({ text }, [accountId]);
  let mostRows = 0;
  const counting = (tx: Transaction): Transaction => ({
    client: tx.client,
    query: async (...statement) => {
      const rows = await tx.query<never>(...statement);
      mostRows = Math.max(mostRows, rows.length);
      return rows;
    },
  });
  const step = await db.transaction((tx) => eraseSomeSessions(counting(tx), accountId));
  const all = { sessions, events: sessions * events, runs: sessions * runs, state: sessions * state };
  expect(step).toMatchObject(all);
  expect(step.cancelled.map(({ invocationId }) => invocationId)).toEqual(['i1', 'i1', 'i1']);
  expect(await db.transaction((tx) => eraseRest(counting(tx), accountId))).toEqual({ runs, state: 0 });
  expect(mostRows).toBeLessThanOrEqual(sessions);
});
