import type { Placeholders, Queryable } from '@agentmesh/lib/pg';
import { sessionNotFound } from '../errors.ts';
import type { CheckedKey } from '../session-key.ts';
import { laterUpdate } from './created-at.ts';
import { hasKey } from './key-condition.ts';
import type { RunKey } from './ledger/run-keys.ts';
import { pageOfEvents } from './events/page-of-events.ts';
import { joinVisibleState, publicKey } from './state.ts';
import { readOutcome, type StartedTurn, selectTurnRows, type TurnOutcome, type TurnRow } from './turn-outcome.ts';
import { bytesOfEvents, withinSession } from './sizes.ts';
import { createWriteQuery, type Write, type WriteQuery } from './write.ts';

/** An attempt to start or queue. */
export interface TurnStart extends Write {
  readonly key: CheckedKey;
  readonly invocationId: string;
  readonly owner: string;
  readonly leaseSeconds: number;
  /** How many recent events to read. */
  readonly window: number;
  /** Most bytes of these events. */
  readonly windowBytes: number;
  /** Events that need not be read again, if the session is this one. */
  readonly known: KnownEvents;
}

/** The events up to a sequence of one session, which the executor holds already. */
export interface KnownEvents {
  readonly sessionPk: bigint;
  readonly lastSeq: number;
}

/** Names no session. */
export const nothingKnown: KnownEvents = { sessionPk: 0n, lastSeq: 0 };

/** The request of a run, kept with it while it waits. JSON texts. */
export interface RunRequest {
  readonly message: string | null;
  readonly stateDelta: string | null;
  readonly customMetadata: string | null;
  readonly streaming: boolean;
  readonly isBound: boolean;
  /** Sequence of the event whose calls the message answers. */
  readonly answeredSeq: number | null;
  /** A free turn is granted to the owner, who starts the run later. */
  readonly postpone: boolean;
  /** The ends of its attempts are told through the outbox. `takeFreeTurn` does not store it. */
  readonly awaited: boolean;
}

interface TurnValues extends CheckedKey, RunRequest, Partial<RunKey> {
  readonly invocationId: string;
  readonly owner: string;
  readonly leaseSeconds: number;
  readonly window: number;
  /** How many events the turn starts with. */
  readonly eventCount: number;
  /** Unix time in seconds of the last of them; null when there is none. */
  readonly lastEventTime: number | null;
  /** Bytes of these events, and most bytes of all events of the session. */
  readonly addedBytes: number;
  readonly maxBytes: number;
  readonly windowBytes: number;
  /** The session whose events up to `knownSeq` are not read. */
  readonly knownPk: bigint;
  readonly knownSeq: number;
}

type Params = Placeholders<TurnValues>;

/** SQL of the recent events and the state of the session in relation `started`. */
function startedRows(param: Params): string {
  const recent = pageOfEvents({
    where: `session_pk = m.pk and seq > case when m.pk = ${param.knownPk} then ${param.knownSeq}::integer else 0 end`,
    order: 'desc',
    limit: param.window,
    maxBytes: `${param.windowBytes}::bigint`,
  });
  const event = { seq: 'e.seq', flag: 'e.turn_start', json: 'e.json' };
  const state = { key: publicKey, json: 't.value::text' };
  return `${selectTurnRows('event', event, `started m cross join lateral (${recent}) e`)}
    union all
    ${selectTurnRows('state', state, `started m ${joinVisibleState}`)}`;
}

/** SQL expression: the bytes of session `s` with the events of the turn. */
const grown = (param: Params): string => withinSession(`s.bytes + ${param.addedBytes}::bigint`, param.maxBytes);

interface TurnQueryParts {
  readonly name: string;
  /** SQL condition on session `s`, besides its key. */
  readonly where: (param: Params) => string;
  /** SQL expression: whether the run starts. */
  readonly free: (param: Params) => string;
  /** SQL that writes the row of the run. It may read relation `moved`, and calls the table `r`. */
  readonly ledger: (param: Params) => string;
  /** SQL of a further CTE, led by a comma. It may read relations `moved` and `ledger`. */
  readonly besides?: (param: Params) => string;
}

/**
 * Creates a statement that reads the session once, and changes it only if it is still as it was read: the window, the state and
 * the decision to take the turn or to queue belong to one moment.
 */
function createTurnQuery({ name, where, free, ledger, besides }: TurnQueryParts): WriteQuery<TurnValues, TurnRow> {
  return createWriteQuery({
    name,
    source: 'started',
    text: (param, writes) => `with snap as (
      select s.pk, s.version, s.last_seq, ${free(param)} as free, s.turn is not null and not (${free(param)}) as behind from sessions s
      where ${hasKey(param, 's')} ${where(param)}
    ), moved as (
      update sessions s set
        version = s.version + 1,
        turn = coalesce(s.turn, ${param.invocationId}),
        queued = case when snap.behind then s.queued + 1 else s.queued end,
        fence = case when snap.free then s.fence + 1 else s.fence end,
        last_seq = case when snap.free then s.last_seq + ${param.eventCount}::integer else s.last_seq end,
        last_update_time = case when snap.free then ${laterUpdate('s.last_update_time', param.lastEventTime)}
          else s.last_update_time end,
        bytes = case when snap.free then ${grown(param)} else s.bytes end
      from snap where s.pk = snap.pk and s.version = snap.version
      returning s.account_id, s.app_name, s.user_id, s.id, s.pk, s.fence, s.last_seq, snap.last_seq as base, snap.free,
        case when snap.free then 'running' when snap.behind then 'queued' else 'granted' end as status
    ), started as (
      select * from moved where free
    ), ledger as (
      ${ledger(param)}
      returning r.attempt, r.waiting_for
    )${besides?.(param) ?? ''}${writes}
    ${selectTurnRows('session', {}, 'snap')}
    union all
    ${selectTurnRows('turn', heldBy('l.attempt', 'm.status', 'l.waiting_for::text'), 'moved m left join ledger l on true')}
    union all
    ${startedRows(param)}`,
  });
}

/** Columns of the row `turn`, from relation `m`. */
function heldBy(attempt: string, status: string, waitingFor = 'null::text') {
  return { pk: 'm.pk', seq: 'm.last_seq', fence: 'm.fence', attempt, key: status, json: waitingFor };
}

const takeFreeTurnQuery = createWriteQuery<TurnValues, TurnRow>({
  name: 'take-free-turn',
  source: 'started',
  text: (param, writes) => `with started as (
      update sessions s set version = s.version + 1, turn = ${param.invocationId}, fence = s.fence + 1,
        last_seq = s.last_seq + ${param.eventCount}::integer,
        last_update_time = ${laterUpdate('s.last_update_time', param.lastEventTime)}, bytes = ${grown(param)}
      where ${hasKey(param, 's')} and s.turn is null
        and s.version = (select version from sessions where ${hasKey(param)})
      returning s.account_id, s.app_name, s.user_id, s.pk, s.fence, s.last_seq,
        s.id, s.last_seq - ${param.eventCount}::integer as base
    ), ledger as (
      insert into runs (account_id, app_name, user_id, session_id, session_pk, invocation_id, status, owner, fence, attempt,
        first_seq, started_at, lease_until, custom_metadata, streaming, bound)
      select account_id, app_name, user_id, id, pk, ${param.invocationId}, 'running', ${param.owner}, fence, 1,
        base + 1, now(), now() + make_interval(secs => ${param.leaseSeconds}), ${param.customMetadata}::json, ${param.streaming}::boolean,
        ${param.isBound}::boolean
      from started
    )${writes}
    ${selectTurnRows('turn', heldBy('1', `'running'`), 'started m')}
    union all
    ${startedRows(param)}`,
});

/** SQL that inserts the row of a run, or updates that of an invocation which continues. */
const insertRun = (
  param: Params,
): string => `insert into runs as r (account_id, app_name, user_id, session_id, session_pk,
      invocation_id, status, owner, fence, attempt, started_at, lease_until, message, state_delta, custom_metadata, streaming,
      answered_seq, bound, awaited, first_seq)
    select account_id, app_name, user_id, id, pk, ${param.invocationId}, status,
      ${param.owner}, case when free then fence else 0 end, case when free then 1 else 0 end, case when free then now() end,
      case when status <> 'queued' then now() + make_interval(secs => ${param.leaseSeconds}) end,
      case when free then null else ${param.message}::json end, case when free then null else ${param.stateDelta}::json end,
      ${param.customMetadata}::json, ${param.streaming}::boolean, ${param.answeredSeq}::integer,
      ${param.isBound}::boolean, ${param.awaited}::boolean, case when free then base + 1 end
    from moved
    on conflict (session_pk, invocation_id) do update set
      app_name = excluded.app_name, user_id = excluded.user_id, session_id = excluded.session_id,
      status = excluded.status, owner = excluded.owner, fence = excluded.fence, attempt = r.attempt + excluded.attempt,
      started_at = coalesce(excluded.started_at, r.started_at), lease_until = excluded.lease_until, message = excluded.message,
      state_delta = excluded.state_delta, custom_metadata = excluded.custom_metadata, streaming = excluded.streaming,
      answered_seq = excluded.answered_seq, bound = excluded.bound,
      awaited = r.awaited or excluded.awaited,
      first_seq = case when r.attempt > 0 then r.first_seq else excluded.first_seq end,
      error_code = null, error_message = null, ended_at = null, position = default
    where r.status in ('waiting', 'completed', 'failed', 'cancelled')`;

const acceptance = {
  where: () => '',
  free: (param: Params) => `s.turn is null and not ${param.postpone}::boolean`,
  ledger: insertRun,
};

const acceptRun = createTurnQuery({ ...acceptance, name: 'accept-run' });

/** Fails with a unique violation, and stores nothing, when a run with this key was accepted before. */
const acceptKeyedRun = createTurnQuery({
  ...acceptance,
  name: 'accept-keyed-run',
  besides: (param) => `, keyed as (
      insert into run_keys (account_id, idempotency_key, invocation_id, request_sha256)
      select m.account_id, ${param.idempotencyKey}, ${param.invocationId}, ${param.requestSha256}::bytea
      from moved m cross join ledger
    )`,
});

const takeGrantedRun = createTurnQuery({
  name: 'take-granted-run',
  where: (param) => `and s.turn = ${param.invocationId} and exists (
    select from runs r where r.session_pk = s.pk and r.invocation_id = ${param.invocationId} and r.status = 'granted' offset 0)`,
  free: () => 'true',
  ledger: (
    param,
  ) => `update runs r set status = 'running', owner = ${param.owner}, fence = m.fence, attempt = r.attempt + 1,
      first_seq = case when r.attempt > 0 then r.first_seq else m.base + 1 end,
      started_at = now(), lease_until = now() + make_interval(secs => ${param.leaseSeconds}), message = null, state_delta = null
    from moved m where r.session_pk = (select pk from moved) and r.invocation_id = ${param.invocationId}`,
});

/**
 * Takes a free turn for a new run that nobody awaits: the usual case, in fewer steps than `acceptTurn`. Undefined when the turn is not free, when
 * there is no such session, or when the session was changed meanwhile: then nothing was written.
 */
export async function takeFreeTurn(
  db: Queryable,
  start: TurnStart,
  request: RunRequest,
): Promise<StartedTurn | undefined> {
  return startedIn(readOutcome(await takeFreeTurnQuery(db, turnValues(start, request), start), start));
}

/**
 * Accepts a run: takes the turn or queues. Undefined when the session was changed meanwhile: then nothing was written. With `key`, it rejects
 * with a unique violation of `run_keys` when the account has used the key.
 *
 * @throws MeshError not_found `session_not_found`
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
  if (rows.length === 0) throw sessionNotFound();
  return readOutcome(rows, start);
}

/**
 * Starts the next attempt of a granted run. `gone`: the run is not granted any more. Undefined when the session was changed
 * meanwhile: then nothing was written.
 */
export async function takeGrantedTurn(db: Queryable, start: TurnStart): Promise<StartedTurn | 'gone' | undefined> {
  const rows = await takeGrantedRun(db, turnValues(start), start);
  if (rows.length === 0) return 'gone';
  return startedIn(readOutcome(rows, start));
}

function startedIn(outcome: TurnOutcome | undefined): StartedTurn | undefined {
  return typeof outcome === 'object' && 'state' in outcome ? outcome : undefined;
}

function turnValues(start: TurnStart, request?: RunRequest): TurnValues {
  const { key, events, known, limits } = start;
  return {
    accountId: key.accountId,
    appName: key.appName,
    userId: key.userId,
    sessionId: key.sessionId,
    invocationId: start.invocationId,
    owner: start.owner,
    leaseSeconds: start.leaseSeconds,
    window: start.window,
    eventCount: events.length,
    lastEventTime: events.at(-1)?.timestamp ?? null,
    addedBytes: bytesOfEvents(events),
    maxBytes: limits.sessionBytes,
    windowBytes: start.windowBytes,
    knownPk: known.sessionPk,
    knownSeq: known.lastSeq,
    message: request?.message ?? null,
    stateDelta: request?.stateDelta ?? null,
    customMetadata: request?.customMetadata ?? null,
    streaming: request?.streaming ?? false,
    isBound: request?.isBound ?? false,
    answeredSeq: request?.answeredSeq ?? null,
    postpone: request?.postpone ?? false,
    awaited: request?.awaited ?? false,
  };
}
