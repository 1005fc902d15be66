import type { Queryable, Statement } from '@agentmesh/lib/pg';
import { sessionNotFound } from '../errors.ts';
import type { KeyParameters } from '../session-key.ts';
import type { StateChange, StateMap } from '../state-delta.ts';
import type { StoredEvent } from './events.ts';
import { pageOfEvents } from './page-of-events.ts';
import { publicKey, visibleState } from './state.ts';
import { maxWindowBytes, newestWithin } from './window-bytes.ts';
import { shapedStatement, type Write, writeParameters } from './write.ts';

/** What starting or queueing an attempt needs. */
export interface TurnStart extends Write {
  key: KeyParameters;
  invocationId: string;
  owner: string;
  leaseSeconds: number;
  /** How many recent events to read. */
  window: number;
  /** What need not be read, if the session is this one. */
  known: KnownEvents;
  /** The user event to append when the turn is taken; none when an invocation is resumed without one. */
  events: readonly StoredEvent[];
  changes: readonly StateChange[];
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
  message: string | null;
  stateDelta: string | null;
  customMetadata: string | null;
  streaming: boolean;
  /** Sequence of the event whose calls the message answers. */
  answeredSeq: number | null;
}

/** The turn was taken. */
export interface StartedTurn {
  sessionPk: bigint;
  fence: bigint;
  attempt: number;
  lastSeq: number;
  /** Merged state before the attempt's own delta. */
  state: StateMap;
  /** Newest first, before the attempt's own events, without what is known and what is more than a window holds. */
  recent: { seq: number; turnStart: boolean; json: string }[];
}

/** `queued`: another run holds the turn. `in_progress`: this invocation is queued or running already. */
export type TurnOutcome = StartedTurn | 'queued' | 'in_progress';

interface TurnRow {
  kind: 'seen' | 'turn' | 'event' | 'state';
  pk: bigint;
  seq: number;
  fence: bigint;
  flag: boolean;
  attempt: number | null;
  key: string;
  json: string;
}

const firstWrite = 13;

const recentEvents = pageOfEvents({
  where: 'session_pk = m.pk and seq > case when m.pk = $11 then $12::integer else 0 end',
  order: 'desc',
  limit: '$8',
  maxBytes: String(maxWindowBytes),
});

/** The recent events and the state of the session in `started`. */
const startedRows = `select 'event', null, e.seq, null, e.turn_start, null, null, e.json from started m
      cross join lateral (${recentEvents}) e
    union all
    select 'state', null, null, null, null, null, ${publicKey}, t.value::text from started m join state t on ${visibleState}`;

/**
 * Reads the session once, and moves it only if it is still what was read: so the window, the state and the decision to take
 * the turn or to queue belong together. $1-$4 key, $5 invocation, $6 owner, $7 lease seconds, $8 window, $9 how many events
 * the turn starts with, $10 when the last of them was, $11 and $12 session and sequence of the known events; then those of the write, then those of the ledger.
 */
function turnStatement(
  name: string,
  parts: { where: string; free: string; ledger: (first: number) => string },
): (write: Write) => Statement {
  return shapedStatement(
    { name, source: 'started', first: firstWrite },
    ({ ctes, next }) => `with snap as (
      select s.pk, s.version, s.last_seq, ${parts.free} as free from sessions s
      where s.account_id = $1 and s.app_name = $2 and s.user_id = $3 and s.id = $4 ${parts.where}
    ), moved as (
      update sessions s set
        version = s.version + 1,
        turn = coalesce(s.turn, $5),
        queued = case when snap.free then s.queued else s.queued + 1 end,
        fence = case when snap.free then s.fence + 1 else s.fence end,
        last_seq = case when snap.free then s.last_seq + $9::integer else s.last_seq end,
        last_update_time = case when snap.free then coalesce($10::float8, s.last_update_time) else s.last_update_time end
      from snap where s.pk = snap.pk and s.version = snap.version
      returning s.account_id, s.app_name, s.user_id, s.pk, s.fence, s.last_seq, snap.last_seq as base, snap.free
    ), started as (
      select * from moved where free
    ), ledger as (
      ${parts.ledger(next)}
      returning r.attempt
    )${ctes}
    select 'seen' as kind, null::bigint as pk, null::integer as seq, null::bigint as fence, null::boolean as flag,
      null::integer as attempt, null::text as key, null::text as json from snap
    union all
    select 'turn', m.pk, m.last_seq, m.fence, m.free, l.attempt, null, null from moved m left join ledger l on true
    union all
    ${startedRows}`,
  );
}

const takeFree = shapedStatement(
  { name: 'take-free-turn', source: 'started', first: firstWrite },
  ({ ctes, next }) => `with started as (
      update sessions s set version = s.version + 1, turn = $5, fence = s.fence + 1, last_seq = s.last_seq + $9::integer,
        last_update_time = coalesce($10::float8, s.last_update_time)
      where s.account_id = $1 and s.app_name = $2 and s.user_id = $3 and s.id = $4 and s.turn is null and s.version = (
        select version from sessions where account_id = $1 and app_name = $2 and user_id = $3 and id = $4)
      returning s.account_id, s.app_name, s.user_id, s.pk, s.fence, s.last_seq, s.last_seq - $9::integer as base
    ), ledger as (
      insert into runs (account_id, session_pk, invocation_id, status, owner, fence, attempt, lease_until, custom_metadata,
        streaming)
      select account_id, pk, $5, 'running', $6, fence, 1, now() + make_interval(secs => $7), $${next}::json,
        $${next + 1}::boolean
      from started
    )${ctes}
    select 'turn' as kind, pk, last_seq as seq, fence, true as flag, 1 as attempt, null::text as key, null::text as json
    from started
    union all
    ${startedRows}`,
);

const acceptRun = turnStatement('accept-run', {
  where: '',
  free: 's.turn is null',
  ledger: (first) => `insert into runs as r (account_id, session_pk, invocation_id, status, owner, fence, attempt,
      lease_until, message, state_delta, custom_metadata, streaming, answered_seq)
    select account_id, pk, $5, case when free then 'running' else 'queued' end, $6, case when free then fence else 0 end,
      case when free then 1 else 0 end, case when free then now() + make_interval(secs => $7) end,
      case when free then null else $${first}::json end, case when free then null else $${first + 1}::json end,
      $${first + 2}::json, $${first + 3}::boolean, $${first + 4}::integer
    from moved
    on conflict (session_pk, invocation_id) do update set
      status = excluded.status, owner = excluded.owner, fence = excluded.fence, attempt = r.attempt + excluded.attempt,
      lease_until = excluded.lease_until, message = excluded.message, state_delta = excluded.state_delta,
      custom_metadata = excluded.custom_metadata, streaming = excluded.streaming,
      answered_seq = excluded.answered_seq,
      error_code = null, error_message = null, ended_at = null, position = default
    where r.status in ('waiting', 'completed', 'failed', 'cancelled')`,
});

const takeGrantedRun = turnStatement('take-granted-run', {
  where: `and s.turn = $5 and exists (
    select from runs r where r.session_pk = s.pk and r.invocation_id = $5 and r.status = 'granted')`,
  free: 'true',
  ledger: () => `update runs r set status = 'running', owner = $6, fence = m.fence, attempt = r.attempt + 1,
      lease_until = now() + make_interval(secs => $7), message = null, state_delta = null
    from moved m where r.session_pk = (select pk from moved) and r.invocation_id = $5`,
});

/**
 * Takes a free turn for a run that nobody has heard of yet: what nearly every run does, in fewer steps than `acceptTurn`.
 * Undefined when the turn is not free, the session is not there or moved meanwhile: nothing was changed.
 */
export async function takeFreeTurn(
  db: Queryable,
  start: TurnStart,
  request: RunRequest,
): Promise<StartedTurn | undefined> {
  const values = [...turnParameters(start), request.customMetadata, request.streaming];
  const outcome = readOutcome(await db.query<TurnRow>(takeFree(start), values));
  return typeof outcome === 'object' ? outcome : undefined;
}

/** Accepts a run: takes the turn or queues. Undefined when the session moved meanwhile and nothing was changed. */
export async function acceptTurn(
  db: Queryable,
  start: TurnStart,
  request: RunRequest,
): Promise<TurnOutcome | undefined> {
  const waiting = [request.message, request.stateDelta, request.customMetadata, request.streaming, request.answeredSeq];
  const rows = await db.query<TurnRow>(acceptRun(start), [...turnParameters(start), ...waiting]);
  if (rows.length === 0) throw sessionNotFound();
  return readOutcome(rows);
}

/**
 * Starts the next attempt of a granted run; `gone` when it is not granted any more, undefined when the session moved
 * meanwhile and nothing was changed.
 */
export async function takeGrantedTurn(db: Queryable, start: TurnStart): Promise<StartedTurn | 'gone' | undefined> {
  const rows = await db.query<TurnRow>(takeGrantedRun(start), turnParameters(start));
  if (rows.length === 0) return 'gone';
  const outcome = readOutcome(rows);
  return typeof outcome === 'object' ? outcome : undefined;
}

function turnParameters(start: TurnStart): unknown[] {
  return [
    ...start.key,
    start.invocationId,
    start.owner,
    start.leaseSeconds,
    start.window,
    start.events.length,
    start.events.at(-1)?.timestamp ?? null,
    start.known.sessionPk,
    start.known.lastSeq,
    ...writeParameters(start),
  ];
}

function readOutcome(rows: readonly TurnRow[]): TurnOutcome | undefined {
  const turn = rows.find((row) => row.kind === 'turn');
  if (turn === undefined) return undefined;
  if (turn.attempt === null) return 'in_progress';
  if (!turn.flag) return 'queued';
  const state: StateMap = new Map();
  const recent: StartedTurn['recent'] = [];
  for (const row of rows) {
    if (row.kind === 'state') state.set(row.key, row.json);
    else if (row.kind === 'event') recent.push({ seq: row.seq, turnStart: row.flag, json: row.json });
  }
  recent.sort((a, b) => b.seq - a.seq);
  const { pk: sessionPk, fence, attempt, seq: lastSeq } = turn;
  return { sessionPk, fence, attempt, lastSeq, state, recent: newestWithin(recent) };
}
