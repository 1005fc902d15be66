import { openDatabase } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { Usage } from '@agentmesh/lib/usage';
import { AttemptEnd_Outcome, Multitask, RunStatus, type Turn } from '@agentmesh/proto/sessions/v1';
import { heldBy, type SessionUsage } from '../src/account-usage.ts';
import { countAnew } from '../src/retention/count-anew.ts';
import { deleteOld } from '../src/retention/delete-old.ts';
import { forgetExecutors, markRunsDue, recallExecutors } from '../src/store/replicas/executors.ts';
import { beginRound } from '../src/store/replicas/rounds.ts';
import { agentEvent, beginWith, json, newKey, type RunningSessions } from './sessions.ts';
import { appendTo, callEvent, completed, driveTurns, waitingFor } from './turns/drive-turns.ts';

/** Statements that read many rows on purpose: all due runs and all executors, of which few exist at a time; all active runs when an executor has died or may have strays; the walk of retention from account to account; the oldest runs of an account that is full. */
const many = new Set([
  'find-due-runs',
  'find-dead-runs',
  'find-dead-executors',
  'find-any-due-run',
  'mark-runs-due',
  'free-stray-runs',
  'recall-executors',
  'count-runs-by-account',
  'next-account',
  'next-retaining-account',
  'delete-oldest-runs',
]);

export function readsMany(statement: string): boolean {
  return many.has(statement);
}

/** Calls every RPC in the ways that send different statements. */
export async function callEverything(service: RunningSessions, session = newKey()): Promise<void> {
  const { client } = service;
  const { begin, askDatabase } = driveTurns(service);
  const { accountId, appName, userId, sessionId } = session;
  const state = { a: 1, 'app:a': 1, 'user:a': 1 };
  await client.createSession({ session, stateJson: json(state), events: [agentEvent('e-0', 'first')] });
  await client.createSession({ session: { ...session, sessionId: `${session.sessionId} 2` } });
  await Array.fromAsync(client.getSession({ session }));
  await Array.fromAsync(client.getSession({ session, numRecentEvents: 1, afterTimestamp: 1 }));
  for (const newestFirst of [true, false]) {
    await client.listEvents({ session, newestFirst });
    await Array.fromAsync(client.listSessions({ accountId, appName, userId, newestFirst }));
  }
  await client.listSessionKeys({ accountId });
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
  const lease = { accountId, sessionPk: first.sessionPk, invocationId: first.invocationId, fence: first.fence };
  await client.renewLeases({ owner: 'executor-1', leases: [lease, { ...lease, fence: 99n }] });
  await client.renewLeases({ owner: 'executor-1', leases: [lease], release: true });
  await client.renewLeases({ owner: 'executor-1', leases: [lease], straysBefore: 1 });
  const wait = { waitingOn: 'keys', waitingSince: 1 };
  await client.renewLeases({ owner: 'executor-1', leases: [{ ...lease, ...wait }] });
  const queued: string[] = [];
  for (const text of ['two', 'three', 'four'])
    queued.push(
      (await client.beginTurn(beginWith(session, text, { idempotencyKey: `${session.sessionId} ${text}` })))
        .invocationId,
    );
  await client.checkQueuedRuns({ owner: 'executor-1', runs: [{ ...lease, invocationId: queued[0] ?? '' }] });
  await client.cancelRun({ accountId, invocationId: queued[2] ?? '' });
  const busy = { multitask: Multitask.REJECT, known: { sessionPk: first.sessionPk, lastSeq: first.lastSeq } };
  await client.beginTurn(beginWith(session, 'busy', busy)).catch(() => undefined);
  const expired = { ...busy, idempotencyKey: `${session.sessionId} two`, idempotencyKeyHours: 24 };
  const expire = 'update run_keys set expires_at = now() where account_id = $1 and idempotency_key = $2';
  await askDatabase(expire, [accountId, expired.idempotencyKey]);
  await client.beginTurn(beginWith(session, 'busy', expired)).catch(() => undefined);
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
  const asking = await begin(session, 'six');
  const asked = [callEvent(asking.invocationId, ['ask'])];
  await client.appendEvents(appendTo(asking, asked, waitingFor(['ask'], 1)));
  await client.addRunMessage({ accountId, invocationId: asking.invocationId, messageJson: json({ parts: [] }) });
  const { turn: answered } = await client.beginTurn(beginWith(session, 'x', { answeredCallIds: ['ask'] }));
  await append(answered as Turn, completed);
  await client.getRun({ accountId, invocationId: waiting.invocationId });
  await client.readRun({ accountId, invocationId: waiting.invocationId });
  for (const filter of [{}, { appName }, { userId }, { statuses: [RunStatus.WAITING] }, { sessionId }, session])
    await client.listRuns({ accountId, ...filter });
  const { sessionPk, invocationId } = await client.beginTurn(
    beginWith({ ...session, sessionId: `${session.sessionId} 2` }, 'p', { postpone: true }),
  );
  await client.checkQueuedRuns({ owner: 'o', runs: [{ accountId, sessionPk, invocationId }] });
  const interrupting = { multitask: Multitask.INTERRUPT };
  const free = { ...session, sessionId: `${session.sessionId} 2` };
  const address = (id: string) =>
    client.addRunMessage({ accountId, invocationId: id, messageJson: json({ parts: [] }) });
  await address(invocationId);
  await address((await client.beginTurn(beginWith(free, 'now', interrupting))).invocationId);
  await askDatabase(
    `update runs set due_at = now() - interval '1 s' where account_id = $1 and session_pk = $2 and ended_at is null and status = 'running'`,
    [accountId, sessionPk],
  );
  await client.claimRuns({ owner: 'heir', window: 9, limit: 9, takesOver: true });
  await client.beginTurn(beginWith(free, 'now', { ...interrupting, idempotencyKey: `${session.sessionId} now` }));
  const rolling = newKey({ accountId });
  await client.createSession({ session: rolling });
  for (const key of ['a', 'b']) {
    const turn = await append(await begin(rolling, key));
    await client.beginTurn(beginWith(rolling, key, { multitask: Multitask.ROLLBACK }));
    await append(turn, { outcome: AttemptEnd_Outcome.INTERRUPTED }, 2);
    for (const { invocationId: id } of (await client.listRuns(rolling)).runs)
      await client.cancelRun({ accountId, invocationId: id });
  }
  for (const atLeast of [1, 8]) await client.countActiveRuns({ atLeast });
  await client.claimOverdueRuns({});
  await client.summarizeRuns({ accountId, appNames: [appName] });
  await client.rewindSession({ session, beforeInvocationId: asking.invocationId });
  await append(await begin(session, 'seven'), completed);
  await client.rewindSession({ session, beforeInvocationId: 'none' }).catch(() => undefined);
  for (const retain of [0, 1]) {
    const {
      sessionPk: pk,
      viewSeq,
      events,
    } = await client.claimCompaction({ session, interval: 1, overlap: 1, retain });
    const event = agentEvent('e-summary', 'all of it');
    const summary = { session, sessionPk: pk, viewSeq, lastSeq: events.at(-1)?.seq ?? 1, event };
    await client.storeCompaction(summary).catch(() => undefined);
    await append(await begin(session, 'eight'), completed);
  }
  await client.forkSession({ session, invocationId: first.invocationId });
  await client.forkSession({ session, eventId: 'none' }).catch(() => undefined);
  await client.deleteSession({ session });
  await ageEverything(service, accountId);
}

/** Deletes old rows, so that the statements of retention are sent. */
async function ageEverything({ client, databaseUrl: url }: RunningSessions, accountId: string): Promise<void> {
  const session = newKey({ accountId });
  const old = { ...agentEvent('e', 'old'), timestamp: 1 };
  await client.createSession({ session, events: [{ ...old, json: json({ timestamp: 1 }) }] });
  await client.setRetention({ accountId, rules: [{ days: 1 }] });
  await client.declareRetention({ apps: [{ appName: 'echo', kept: { case: 'days', value: 1 } }] });
  await client.getRetention({ accountId });
  const migrations = new URL('../migrations/', import.meta.url);
  const log = createLogger({ level: 'silent', name: 'test' });
  await using db = await openDatabase({ service: 'sessions', url, poolSize: 3, migrations }, log);
  await beginRound(db, 'retention', 1);
  await markRunsDue(db, { owners: ['none'], leaseSeconds: 10, limit: 9 });
  await forgetExecutors(db, ['none'], 60);
  await recallExecutors(db, 10);
  const usage: SessionUsage = new Usage({ db, heldBy });
  const { signal: draining } = new AbortController();
  await deleteOld({ db, usage, defaultDays: 0, draining });
  await deleteOld({ db, usage, defaultDays: 30_000, draining });
  usage.add(accountId, { runs: 100, run_keys: 100, state: 100 });
  await usage.sync();
  await countAnew({ db, usage, draining, accountLimits: { sessions: 1, bytes: 1, runs: 40, state: 1 } });
}
