import type { Queryable } from '@agentmesh/lib/pg';
import { runNotWaiting, sessionNotFound } from '../../errors.ts';
import { laterUpdate } from '../created-at.ts';
import { hasKey } from '../key-condition.ts';
import type { RunKey } from '../ledger/run-keys.ts';
import { createWriteQuery } from '../write.ts';
import { readOutcome, type StartedTurn, selectTurnRows, type TurnOutcome, type TurnRow } from './turn-outcome.ts';
import { besidesEvents, createTurnQuery, grown, heldAtOnce, isInProgress, startedRows } from './turn-query.ts';
import {
  nothingKnown,
  type RunRequest,
  type TurnParams,
  type TurnStart,
  type TurnValues,
  turnValues,
} from './turn-values.ts';

/** SQL that takes the free turn of a session for a new run. `where` is a further condition on session `s`, led by `and`; `rows` are what the executor gets besides the turn. */
const takeFree = (
  param: TurnParams,
  { writes, rows, where = '' }: { readonly writes: string; readonly rows: string; readonly where?: string },
): string => `with started as (
      update sessions s set version = s.version + 1, turn = ${param.invocationId}, fence = s.fence + 1,
        last_seq = s.last_seq + ${param.eventCount}::integer,
        last_update_time = ${laterUpdate('s.last_update_time', param.lastEventTime)}, bytes = ${grown(param)}
      where ${hasKey(param, 's')} and s.turn is null ${where}
        and s.version = (select version from sessions where ${hasKey(param)})
      returning s.account_id, s.app_name, s.user_id, s.pk, s.fence, s.view, s.last_seq,
        s.id, s.last_seq - ${param.eventCount}::integer as base
    ), ledger as (
      insert into runs (account_id, app_name, user_id, session_id, session_pk, invocation_id, status, owner, fence, attempt,
        first_seq, started_at, custom_metadata, streaming, bound)
      select account_id, app_name, user_id, id, pk, ${param.invocationId}, 'running', ${param.owner}, fence, 1,
        base + 1, now(), ${param.customMetadata}::json, ${param.streaming}::boolean,
        ${param.isBound}::boolean
      from started
    )${writes}
    ${selectTurnRows('turn', heldAtOnce(param), 'started m')}
    union all
    ${rows}`;

const takeFreeTurnQuery = createWriteQuery<TurnValues, TurnRow>({
  name: 'take-free-turn',
  source: 'started',
  text: (param, writes) => takeFree(param, { writes, rows: startedRows(param) }),
});

/** The executor knows all events: none is looked for, which would take a sixth of the statement's time. */
const takeKnownTurnQuery = createWriteQuery<TurnValues, TurnRow>({
  name: 'take-known-turn',
  source: 'started',
  text: (param, writes) =>
    takeFree(param, {
      writes,
      rows: besidesEvents(),
      where: `and s.pk = ${param.knownPk} and s.last_seq = ${param.knownSeq}`,
    }),
});

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
      insert into run_keys (account_id, idempotency_key, invocation_id, request_sha256, expires_at)
      select m.account_id, ${param.idempotencyKey}, ${param.invocationId}, ${param.requestSha256}::bytea,
        now() + make_interval(hours => ${param.keyHours}::integer)
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
 * Takes a free turn for a new run that nobody awaits: the usual case, in fewer steps than `acceptTurn`. Undefined when the turn is not free, when
 * there is no such session, when it has other events than the executor knows, or when it was changed meanwhile: then nothing was written.
 */
export async function takeFreeTurn(
  db: Queryable,
  start: TurnStart,
  request: RunRequest,
): Promise<StartedTurn | undefined> {
  const take = start.known.sessionPk === nothingKnown.sessionPk ? takeFreeTurnQuery : takeKnownTurnQuery;
  return startedIn(readOutcome(await take(db, turnValues(start, request), start), start));
}

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

function startedIn(outcome: TurnOutcome | undefined): StartedTurn | undefined {
  return typeof outcome === 'object' && 'state' in outcome ? outcome : undefined;
}
