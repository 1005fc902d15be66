import type { Queryable } from '@agentmesh/lib/pg';
import { runNotWaiting, sessionNotFound } from '../../errors.ts';
import type { RunKey } from '../ledger/run-keys.ts';
import { readOutcome, startedIn, type StartedTurn, type TurnOutcome } from './turn-outcome.ts';
import { createTurnQuery, isInProgress } from './turn-query.ts';
import { type RunRequest, type TurnParams, type TurnStart, turnValues } from './turn-values.ts';

/** SQL that inserts the row of a run, or updates that of an invocation which continues. */
export const insertRun = (
  param: TurnParams,
  position?: string,
): string => `insert into runs as r (account_id, app_name, user_id, session_id, session_pk,
      invocation_id, status, owner, fence, attempt, started_at, due_at, message, state_delta, custom_metadata, streaming,
      answered_seq, bound, awaited, first_seq${position === undefined ? '' : ', position'})
    select account_id, app_name, user_id, id, pk, ${param.invocationId}, status,
      ${param.owner}, case when free then fence else 0 end, case when free then 1 else 0 end, case when free then now() end,
      case when status = 'granted' then now() + make_interval(secs => ${param.leaseSeconds}) end,
      case when free then null else ${param.message}::json end, case when free then null else ${param.stateDelta}::json end,
      ${param.customMetadata}::json, ${param.streaming}::boolean, ${param.answeredSeq}::integer,
      ${param.isBound}::boolean, ${param.awaited}::boolean, case when free then base + 1 end${position === undefined ? '' : `, ${position}`}
    from moved
    on conflict (account_id, invocation_id, session_pk) do update set
      app_name = excluded.app_name, user_id = excluded.user_id, session_id = excluded.session_id,
      status = excluded.status, owner = excluded.owner, fence = excluded.fence, attempt = r.attempt + excluded.attempt,
      started_at = coalesce(excluded.started_at, r.started_at), due_at = excluded.due_at, message = excluded.message,
      state_delta = excluded.state_delta, custom_metadata = excluded.custom_metadata, streaming = excluded.streaming,
      answered_seq = excluded.answered_seq, bound = excluded.bound,
      awaited = r.awaited or excluded.awaited,
      added_messages = case when ${param.takesAdded}::boolean and excluded.attempt > 0 then null else r.added_messages end,
      first_seq = case when r.attempt > 0 then r.first_seq else excluded.first_seq end,
      error_code = null, error_message = null, ended_at = null, position = ${position === undefined ? 'default' : 'excluded.position'}
    where r.status in ('waiting', 'completed', 'failed', 'cancelled', 'interrupted')`;

const acceptance = {
  where: (param: TurnParams) => `and (${param.waitingAttempt}::integer is null or exists (
    select from runs r where r.account_id = s.account_id and r.session_pk = s.pk and r.invocation_id = ${param.invocationId}
      and r.status = 'waiting' and r.attempt = ${param.waitingAttempt}::integer offset 0))`,
  free: (param: TurnParams) => `s.turn is null and not ${param.postpone}::boolean`,
  inProgress: isInProgress,
  holds: (param: TurnParams) => `and (not ${param.takesAdded}::boolean or (
    select r.added_messages::text from runs r where r.account_id = ${param.accountId} and r.session_pk = snap.pk and r.invocation_id = ${param.invocationId}
  ) is not distinct from ${param.added}::text)`,
  ledger: insertRun,
};

const acceptRun = createTurnQuery({ ...acceptance, name: 'accept-run' });

/** SQL of the CTE that stores the idempotency key of the run in relation `moved`. */
export function insertKey(param: TurnParams): string {
  return `, keyed as (
      insert into run_keys (account_id, idempotency_key, invocation_id, request_sha256, expires_at, accepted_seq)
      select m.account_id, ${param.idempotencyKey}, ${param.invocationId}, ${param.requestSha256}::bytea,
        now() + make_interval(hours => ${param.keyHours}::integer), m.base
      from moved m cross join ledger
    )`;
}

/** Fails with a unique violation, and stores nothing, when a run with this key was accepted before. */
const acceptKeyedRun = createTurnQuery({
  ...acceptance,
  name: 'accept-keyed-run',
  besides: insertKey,
});

const takeGrantedRun = createTurnQuery({
  name: 'take-granted-run',
  where: (param) => `and s.turn = ${param.invocationId} and exists (
    select from runs r where r.account_id = s.account_id and r.session_pk = s.pk and r.invocation_id = ${param.invocationId} and r.status = 'granted'
      and r.message::text is not distinct from ${param.message}::text
      and (not ${param.takesAdded}::boolean or r.added_messages::text is not distinct from ${param.added}::text) offset 0)`,
  free: () => 'true',
  ledger: (
    param,
  ) => `update runs r set status = 'running', owner = ${param.owner}, fence = m.fence, attempt = r.attempt + 1,
      first_seq = case when r.attempt > 0 then r.first_seq else m.base + 1 end,
      started_at = now(), due_at = null, message = null, state_delta = null,
      added_messages = case when ${param.takesAdded}::boolean then null else r.added_messages end
    from moved m where r.account_id = ${param.accountId} and r.session_pk = (select pk from moved) and r.invocation_id = ${param.invocationId}`,
});

const takeDeadRun = createTurnQuery({
  name: 'take-dead-run',
  where: (param) => `and s.turn = ${param.invocationId} and exists (
    select from runs r where r.account_id = s.account_id and r.session_pk = s.pk and r.invocation_id = ${param.invocationId} and r.status = 'running'
      and (r.due_at < now()) is true offset 0)`,
  free: () => 'true',
  ledger: (
    param,
  ) => `update runs r set owner = ${param.owner}, fence = m.fence, attempt = r.attempt + 1, takeovers = coalesce(r.takeovers, 0) + 1,
      started_at = now(), due_at = null
    from moved m where r.account_id = ${param.accountId} and r.session_pk = (select pk from moved) and r.invocation_id = ${param.invocationId}`,
});

/**
 * Accepts a run: takes the turn or queues, or is `busy`. Undefined when the session was changed meanwhile: then nothing was written. With `key`, it rejects
 * with a unique violation of `run_keys` when the account has used the key.
 *
 * @throws MeshError not_found `session_not_found`, aborted `run_not_waiting`
 */
export async function acceptTurn(
  db: Queryable,
  start: TurnStart,
  { request, key }: { readonly request: RunRequest; readonly key?: RunKey | undefined },
): Promise<TurnOutcome | undefined> {
  const values = turnValues(start, request);
  const rows = await (key === undefined
    ? acceptRun(db, values, start)
    : acceptKeyedRun(db, { ...values, ...key }, start));
  if (rows.length === 0) throw request.waitingAttempt === null ? sessionNotFound() : runNotWaiting(start.invocationId);
  return readOutcome(rows, { windowBytes: start.windowBytes, rejects: request.rejects });
}

/** The messages of a granted run, as they were read. */
export type GrantedMessages = Pick<RunRequest, 'message' | 'takesAdded' | 'added'>;

/**
 * Starts the next attempt of a granted run with messages. `gone`: the run is not granted any more, or has other messages by
 * now. Undefined when the session was changed meanwhile: then nothing was written.
 */
export async function takeGrantedTurn(
  db: Queryable,
  start: TurnStart,
  messages: GrantedMessages,
): Promise<StartedTurn | 'gone' | undefined> {
  const rows = await takeGrantedRun(db, { ...turnValues(start), ...messages }, start);
  if (rows.length === 0) return 'gone';
  return startedIn(readOutcome(rows, start));
}

/**
 * Takes a running run that is due, because its executor is gone. `gone`: its executor is alive, or another was faster. Undefined when the session was changed
 * meanwhile: then nothing was written.
 */
export async function takeDeadTurn(db: Queryable, start: TurnStart): Promise<StartedTurn | 'gone' | undefined> {
  const rows = await takeDeadRun(db, turnValues(start), start);
  if (rows.length === 0) return 'gone';
  return startedIn(readOutcome(rows, start));
}
