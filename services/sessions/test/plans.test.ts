import { explainStatements, recordStatements } from '@agentmesh/lib/pg/testing';
import { expect, test } from 'vitest';
import { callEverything, readsMany } from './call-everything.ts';
import { driveTurns } from './turns/drive-turns.ts';
import { newKey, startSessions } from './sessions.ts';

/** Many rows in every table: twenty accounts with one user each, who has a thousand sessions. */
const fill = [
  `insert into sessions (account_id, app_name, user_id, id, last_seq, last_update_time)
   select md5('a' || n % 20)::uuid, 'app' || n % 2, 'user' || n % 5, 's' || n, 5, 1 from generate_series(1, 20000) n`,
  `insert into events (account_id, session_pk, seq, event_id, invocation_id, author, ts, turn_start, body)
   select account_id, pk, n, 'e' || n, 'i' || n, 'user', n, true, '{}' from sessions, generate_series(1, 5) n`,
  `insert into state (account_id, app_name, scope, key, value, bytes)
   select account_id, app_name, 'session:' || pk, 'k' || n, '1'::json, 3 from sessions, generate_series(1, 3) n on conflict do nothing`,
  `insert into state (account_id, app_name, scope, key, value, bytes)
   select account_id, app_name, 'user:' || user_id, 'k', '1'::json, 2 from sessions on conflict do nothing`,
  `insert into runs (account_id, app_name, user_id, session_id, session_pk, invocation_id, status, owner, ended_at)
   select account_id, app_name, user_id, id, pk, 'i' || n, case when n = 1 then 'queued' else 'completed' end, 'o', case when n = 1 then null else now() end
   from sessions, generate_series(1, 4) n`,
  `insert into run_keys (account_id, idempotency_key, invocation_id, request_sha256)
   select account_id, 'k' || pk, 'i', '' from sessions`,
  `insert into credential_requests (account_id, user_id, nonce_sha256, session_pk) select account_id, user_id, md5(id), pk from sessions`,
];

/** Statements of the outbox, the bus and the group commit. */
const ofOthers = /^\s*(select|delete|with)[^;]*\b(from outbox|pg_notify|set_config|migrations|to_regclass)\b/;

test('every statement has one plan: on an empty database without statistics the same as on full, analyzed tables', async () => {
  await using service = await startSessions();
  using recorded = recordStatements();
  await callEverything(service);
  const texts = new Map([...recorded.texts].filter(([, text]) => !ofOthers.test(text)));
  await using fresh = await startSessions();
  const empty = await explainStatements({ url: fresh.databaseUrl, schema: 'sessions' }, texts);
  const { askDatabase } = driveTurns(fresh);
  for (const text of fill) await askDatabase(text, []);
  await askDatabase('analyze', []);
  const full = await explainStatements({ url: fresh.databaseUrl, schema: 'sessions' }, texts);
  expect(texts.size).toBeGreaterThan(75);
  const differing = [...empty].filter(([name, plan]) => JSON.stringify(plan) !== JSON.stringify(full.get(name)));
  expect(differing.map(([name, plan]) => ({ name, empty: plan, full: full.get(name) }))).toEqual([]);
  const scanning = [...full].filter(
    ([name, plan]) => !readsMany(name) && plan.some((line) => /Seq Scan|: $/.test(line)),
  );
  expect(scanning).toEqual([]);
}, 120_000);

test('looks for due and dead runs begin with the runs that are due, on an empty database and planned for their own values', async () => {
  await using service = await startSessions();
  using recorded = recordStatements();
  await callEverything(service);
  const { askDatabase } = driveTurns(service);
  const looks = { 'find-due-runs': [['echo'], 10], 'find-dead-runs': [['echo'], true, 10] };
  for (const [name, values] of Object.entries(looks)) {
    const rows = await askDatabase<{ 'QUERY PLAN': string }>(`explain ${recorded.texts.get(name)}`, values);
    const reads = rows.flatMap((row) => / using (\w+ on \w+)/.exec(row['QUERY PLAN'])?.[1] ?? []);
    expect([name, ...reads]).toEqual([name, 'runs_due on runs', 'sessions_pk on sessions']);
  }
});

test('no statement changes the state of a session that is there without an event: executors that know the newest event know the state', async () => {
  await using service = await startSessions();
  using recorded = recordStatements();
  await callEverything(service);
  const changing = [...recorded.texts].filter(([, text]) => /(insert into|delete from|update) state\b/.test(text));
  const inPlace = changing.filter(([, text]) => /update sessions\b/.test(text));
  expect(inPlace.length).toBeGreaterThan(5);
  expect(inPlace.filter(([, text]) => !text.includes('insert into events')).map(([name]) => name)).toEqual([]);
});

test('sessions and runs are made behind those of earlier milliseconds in the indexes of their names', async () => {
  await using service = await startSessions();
  const { begin, askDatabase } = driveTurns(service);
  const begun = Date.now();
  for (let n = 0; n < 10; n += 1) {
    const session = newKey({ sessionId: '' });
    const created = await service.client.createSession({ session });
    await begin({ ...session, sessionId: created.session?.id ?? '' }, 'hello');
  }
  const names = await askDatabase<{ session: string; run: string }>(
    `select substr(session_id, 1, 13) as session, substr(invocation_id, 3, 13) as run from runs order by position`,
    [],
  );
  expect(names).toHaveLength(10);
  for (const column of ['session', 'run'] as const) {
    const times = names.map((row) => Number.parseInt(row[column].replace('-', ''), 16));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(begun);
  }
});
