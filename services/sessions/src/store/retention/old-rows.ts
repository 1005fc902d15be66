import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { NumberedSession } from '../../session-key.ts';
import type { SessionHistory } from '../histories.ts';
import { hasNumber, isOfSession, numbered } from '../key-condition.ts';
import { deleteKeysOfGone } from './keys-of-runs.ts';

const findNow = createQuery<object, { now: number }>({
  name: 'find-now',
  text: () => 'select extract(epoch from now())::float8 as now',
});

/** The database's time; Unix time in seconds. */
export async function selectNow(db: Queryable): Promise<number> {
  const [row] = await findNow(db, {});
  return row?.now ?? 0;
}

interface AppScope {
  readonly accountId: string;
  readonly appName: string;
}

export interface OldRuns extends AppScope {
  readonly days: number;
  readonly limit: number;
}

const deleteRuns = createQuery<OldRuns, { runs: number }>({
  name: 'delete-old-runs',
  text: (param) => `with old as (
      select account_id, session_pk, invocation_id from runs
      where account_id = ${param.accountId} and app_name = ${param.appName}
        and created_at < now() - make_interval(days => ${param.days})
        and ended_at < now() - make_interval(days => ${param.days}) and attempt >= 0 and status <> 'waiting'
      order by created_at, position limit ${param.limit} for update skip locked
    ), gone as (
      delete from runs r using old where r.account_id = old.account_id and r.session_pk = old.session_pk and r.invocation_id = old.invocation_id
      returning r.session_pk, r.invocation_id
    ), keys as (
      ${deleteKeysOfGone(param.accountId)}
    )
    select count(*)::integer as runs from gone`,
});

/** Deletes the oldest runs that ended more than `days` ago, with their idempotency keys. Runs that wait for an answer stay. Answers their number. */
export async function deleteOldRuns(db: Queryable, old: OldRuns): Promise<number> {
  const [row] = await deleteRuns(db, old);
  return row?.runs ?? 0;
}

/** A place in the order in which sessions of an app are looked at. */
export interface AgingSession {
  readonly pk: bigint;
  /** No turn can be older; Unix time in seconds. */
  readonly aging_from: number;
}

interface PageValues extends AppScope {
  readonly afterTime: number;
  readonly afterPk: bigint;
  /** Unix time in seconds. */
  readonly before: number;
  readonly limit: number;
}

const listSessions = createQuery<PageValues, AgingSession>({
  name: 'list-aging-sessions',
  text: (param) => `select pk, aging_from from sessions
    where account_id = ${param.accountId} and app_name = ${param.appName} and aging_from >= 0 and aging_from < ${param.before}
      and (aging_from, pk) > (${param.afterTime}::float8, ${param.afterPk}::bigint)
    order by aging_from, pk limit ${param.limit}`,
});

/** The next sessions of an app that may have turns older than `before`, oldest first. The others are not read. */
export function selectAgingSessions(
  db: Queryable,
  { after, ...scope }: AppScope & { readonly after: AgingSession; readonly before: number; readonly limit: number },
): Promise<AgingSession[]> {
  return listSessions(db, { ...scope, afterTime: after.aging_from, afterPk: after.pk });
}

const findOpenRun = createQuery<NumberedSession, { first_seq: number | null }>({
  name: 'find-open-run',
  text: (param) => `select min(coalesce(first_seq, 0)) as first_seq from (
      select first_seq from runs where ${isOfSession(param)} and ended_at is null
      union all
      select first_seq from runs where ${isOfSession(param)} and ended_at is not null and (status = 'waiting') is true
    ) open`,
});

/** Sequence of the first event of the session's runs that have not ended, or wait for an answer; undefined when there are none. 0: not known. */
export async function selectOpenRun(db: Queryable, session: NumberedSession): Promise<number | undefined> {
  const [row] = await findOpenRun(db, session);
  return row?.first_seq ?? undefined;
}

const setAging = createQuery<NumberedSession & { agingFrom: number }>({
  name: 'set-aging-from',
  text: (param) => `update sessions set aging_from = ${param.agingFrom} where ${hasNumber(param)}`,
});

/** Stores that retention has nothing to do in the session before it deletes what is older than `agingFrom`. */
export async function updateAgingFrom(db: Queryable, session: NumberedSession, agingFrom: number): Promise<void> {
  await setAging(db, { ...session, agingFrom });
}

/** An event as far as its age is judged. */
export interface AgingEvent {
  readonly seq: number;
  readonly ts: number;
  readonly turn_start: boolean;
}

const listFirst = createQuery<NumberedSession & { limit: number }, AgingEvent>({
  name: 'list-first-events',
  text: (param) =>
    `select seq, ts, turn_start from events where ${isOfSession(param)} order by seq limit ${param.limit}`,
});

/** The first events of a session, in order. */
export function selectFirstEvents(db: Queryable, session: NumberedSession, limit: number): Promise<AgingEvent[]> {
  return listFirst(db, { ...session, limit });
}

/** State and artifacts of a session before its events. */
type InitialColumns = Pick<SessionHistory, 'initialState' | 'initialArtifacts'>;

const findInitial = createQuery<NumberedSession, InitialColumns>({
  name: 'find-initial-state',
  text: (param) => `select initial_state::text as "initialState", initial_artifacts::text as "initialArtifacts"
    from sessions where ${hasNumber(param)}`,
});

/** Undefined when the session is gone. */
export async function selectInitial(db: Queryable, session: NumberedSession): Promise<InitialColumns | undefined> {
  const [row] = await findInitial(db, session);
  return row;
}

/** Events to delete, and what the session was before those that stay; null: as before. */
interface FirstEvents extends InitialColumns, NumberedSession {
  /** The first event of the session when it was read. */
  readonly first: number;
  readonly upTo: number;
}

const deleteEvents = createQuery<FirstEvents, { events: number; bytes: bigint }>({
  name: 'delete-first-events',
  text: (param) => `with held as (
      select pk from sessions where ${hasNumber(param)}
        and exists (select from events where ${isOfSession(param)} and seq = ${param.first} offset 0) for update
    ), gone as (
      delete from events where account_id = ${param.accountId} and session_pk = (select pk from held) and seq <= ${param.upTo} returning octet_length(body::text) as bytes
    ), freed as (
      select count(*)::integer as events, coalesce(sum(bytes), 0)::bigint as bytes from gone
    ), lighter as (
      update sessions s set version = s.version + 1, bytes = greatest(0, s.bytes - (select bytes from freed)),
        initial_state = coalesce(${param.initialState}::json, s.initial_state),
        initial_artifacts = coalesce(${param.initialArtifacts}::json, s.initial_artifacts)
      where ${numbered({ accountId: param.accountId, pk: '(select pk from held)' }, 's')} and (select events from freed) > 0
    )
    select events, bytes from freed`,
});

/** Deletes the events of a session up to a sequence. Nothing when its first event is another one by now. */
export async function deleteFirstEvents(
  db: Queryable,
  events: FirstEvents,
): Promise<{ events: number; bytes: number }> {
  const [row] = await deleteEvents(db, events);
  return { events: row?.events ?? 0, bytes: Number(row?.bytes ?? 0n) };
}
