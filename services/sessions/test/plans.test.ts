import { explainStatements, recordStatements } from '@agentmesh/lib/pg/testing';
import { AttemptEnd_Outcome, RunStatus, type Turn } from '@agentmesh/proto/sessions/v1';
import { expect, test } from 'vitest';
import { appendTo, completed, driveTurns } from './turns/drive-turns.ts';
import { agentEvent, beginWith, json, newKey, startSessions, type TestSessions } from './sessions.ts';

/** Calls every RPC in the ways that send different statements. */
async function callEverything(service: TestSessions): Promise<void> {
  const { client } = service;
  const { begin } = driveTurns(() => service);
  const session = newKey();
  const { accountId, appName, userId } = session;
  const state = { a: 1, 'app:a': 1, 'user:a': 1 };
  await client.createSession({ session, stateJson: json(state), events: [agentEvent('e-0', 'first')] });
  await client.createSession({ session: { ...session, sessionId: 'second' } });
  await Array.fromAsync(client.getSession({ session }));
  await Array.fromAsync(client.getSession({ session, numRecentEvents: 1, afterTimestamp: 1 }));
  for (const newestFirst of [true, false]) {
    await client.listEvents({ session, newestFirst });
    await Array.fromAsync(client.listSessions({ accountId, appName, userId, newestFirst }));
  }
  await client
    .patchSession({ session, stateDeltaJson: json({ a: null, b: 1 }), ifMatch: ['1-1'] })
    .catch(() => undefined);
  await client.patchSession({ session, stateDeltaJson: json({ a: null, b: 1 }) });
  await client.findCredentialRequest({ accountId, userId, nonce: 'n' });
  const append = async (turn: Turn, end?: object, count = 1) => {
    const events = Array.from({ length: count }, () => agentEvent(turn.invocationId, 'said', { b: 1, c: null }));
    const { lastSeq } = await client.appendEvents(appendTo(turn, events, end));
    return { ...turn, lastSeq };
  };
  const claim = (invocationId = '') =>
    client.claimRuns({ owner: 'o', window: 9, limit: 9, ...(invocationId && { session, invocationId }) });
  const first = await append(await begin(session, 'one', { stateDeltaJson: json({ c: 1 }) }), undefined, 2);
  const lease = { sessionPk: first.sessionPk, invocationId: first.invocationId, fence: first.fence };
  await client.renewLeases({ owner: 'executor-1', leases: [lease, { ...lease, fence: 99n }] });
  const queued: string[] = [];
  for (const text of ['two', 'three', 'four'])
    queued.push((await client.beginTurn(beginWith(session, text, { idempotencyKey: text }))).invocationId);
  await client.cancelRun({ accountId, invocationId: queued[2] ?? '' });
  await append(first, completed);
  await claim();
  const [second] = (await claim(queued[0])).turns;
  if (second === undefined) throw new Error('the turn was not granted');
  await client.cancelRun({ accountId, invocationId: second.invocationId });
  await client.appendEvents(appendTo(second, [], completed)).catch(() => undefined);
  await append(second, { outcome: AttemptEnd_Outcome.CANCELLED });
  await client.cancelRun({ accountId, invocationId: queued[1] ?? '' });
  const waiting = await append(
    await begin(session, 'five', { known: { sessionPk: first.sessionPk, lastSeq: 1 }, window: 2 }),
    {
      outcome: AttemptEnd_Outcome.WAITING,
    },
  );
  await client
    .beginTurn(beginWith(session, 'x', { messageJson: new Uint8Array(), invocationId: waiting.invocationId }))
    .catch(() => undefined);
  await client.beginTurn(beginWith(session, 'x', { answeredCallIds: ['none'] })).catch(() => undefined);
  await client.cancelRun({ accountId, invocationId: waiting.invocationId });
  await client.getRun({ accountId, invocationId: waiting.invocationId });
  for (const filter of [{}, { appName }, { userId }, { statuses: [RunStatus.WAITING] }, session])
    await client.listRuns({ accountId, ...filter });
  const { sessionPk, invocationId } = await client.beginTurn(
    beginWith({ ...session, sessionId: 'second' }, 'p', { postpone: true }),
  );
  await client.checkQueuedRuns({ owner: 'o', runs: [{ sessionPk, invocationId }] });
  await client.countActiveRuns({});
  await client.summarizeRuns({ accountId, appNames: [appName] });
  await client.deleteSession({ session });
}

/** Many rows in every table: twenty accounts with one user each, who has a thousand sessions. */
const fill = [
  `insert into sessions (account_id, app_name, user_id, id, last_seq, last_update_time)
   select md5('a' || n % 20)::uuid, 'app' || n % 2, 'user' || n % 5, 's' || n, 5, 1 from generate_series(1, 20000) n`,
  `insert into events (account_id, session_pk, seq, event_id, invocation_id, author, ts, turn_start, body)
   select account_id, pk, n, 'e' || n, 'i' || n, 'user', n, true, '{}' from sessions, generate_series(1, 5) n`,
  `insert into state (account_id, app_name, scope, key, value)
   select account_id, app_name, 'session:' || pk, 'k' || n, '1'::json from sessions, generate_series(1, 3) n on conflict do nothing`,
  `insert into state (account_id, app_name, scope, key, value)
   select account_id, app_name, 'user:' || user_id, 'k', '1'::json from sessions on conflict do nothing`,
  `insert into runs (account_id, app_name, user_id, session_id, session_pk, invocation_id, status, owner, ended_at)
   select account_id, app_name, user_id, id, pk, 'i' || n, case when n = 1 then 'queued' else 'completed' end, 'o', case when n = 1 then null else now() end
   from sessions, generate_series(1, 4) n`,
  `insert into run_keys (account_id, idempotency_key, invocation_id, request_sha256)
   select account_id, 'k' || pk, 'i', '' from sessions`,
  `insert into credential_requests (account_id, user_id, nonce_sha256, session_pk) select account_id, user_id, md5(id), pk from sessions`,
];

/** Statements of the outbox, the bus and the group commit. */
const ofOthers = /^\s*(select|delete|with)[^;]*\b(from outbox|pg_notify|set_config|migrations|to_regclass)\b/;

/** Statements that read all due runs, of all accounts: few runs are open at a time. */
const sweeps = new Set(['find-due-runs', 'find-dead-runs', 'count-runs-by-account']);

test('every statement has one plan: on an empty database without statistics the same as on full, analyzed tables', async () => {
  await using service = await startSessions();
  using recorded = recordStatements();
  await callEverything(service);
  const texts = new Map([...recorded.texts].filter(([, text]) => !ofOthers.test(text)));
  await using fresh = await startSessions();
  const empty = await explainStatements({ url: fresh.databaseUrl, schema: 'sessions' }, texts);
  const { askDatabase } = driveTurns(() => fresh);
  for (const text of fill) await askDatabase(text, []);
  await askDatabase('analyze', []);
  const full = await explainStatements({ url: fresh.databaseUrl, schema: 'sessions' }, texts);
  expect(texts.size).toBeGreaterThan(40);
  const differing = [...empty].filter(([name, plan]) => JSON.stringify(plan) !== JSON.stringify(full.get(name)));
  expect(differing.map(([name, plan]) => ({ name, empty: plan, full: full.get(name) }))).toEqual([]);
  const scanning = [...full].filter(
    ([name, plan]) => !sweeps.has(name) && plan.some((line) => /Seq Scan|: $/.test(line)),
  );
  expect(scanning).toEqual([]);
}, 120_000);
