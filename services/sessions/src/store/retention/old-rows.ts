import { createQuery, type Queryable } from '@agentmesh/lib/pg';

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
      select session_pk, invocation_id from runs
      where account_id = ${param.accountId} and app_name = ${param.appName}
        and created_at < now() - make_interval(days => ${param.days})
        and ended_at < now() - make_interval(days => ${param.days}) and status <> 'waiting'
      order by created_at, position limit ${param.limit}
    ), gone as (
      delete from runs r using old where r.session_pk = old.session_pk and r.invocation_id = old.invocation_id
      returning r.invocation_id
    ), keys as (
      delete from run_keys where account_id = ${param.accountId} and invocation_id = any(array(select invocation_id from gone))
    )
    select count(*)::integer as runs from gone`,
});

/** Deletes the oldest runs that ended more than `days` ago, with their idempotency keys. Runs that wait for an answer stay. Answers their number. */
export async function deleteOldRuns(db: Queryable, old: OldRuns): Promise<number> {
  const [row] = await deleteRuns(db, old);
  return row?.runs ?? 0;
}

export interface SessionPlace {
  readonly userId: string;
  readonly id: string;
}

interface PageValues extends AppScope {
  readonly afterUser: string;
  readonly afterId: string;
  /** Unix time in seconds. */
  readonly before: number;
  readonly limit: number;
}

interface SessionRow {
  readonly pk: bigint;
  readonly user_id: string;
  readonly id: string;
  readonly is_old: boolean | null;
}

const listSessions = createQuery<PageValues, SessionRow>({
  name: 'list-aging-sessions',
  text: (param) => `select s.pk, s.user_id, s.id, e.ts < ${param.before} as is_old from (
      select pk, user_id, id from sessions
      where account_id = ${param.accountId} and app_name = ${param.appName} and (user_id, id) > (${param.afterUser}, ${param.afterId})
      order by user_id, id limit ${param.limit}
    ) s left join lateral (select ts from events where session_pk = s.pk order by seq limit 1) e on true
    order by s.user_id, s.id`,
});

/** The next sessions of an app, in the order of their users and ids, and whether their first event is older than `before`. */
export function selectAgingSessions(
  db: Queryable,
  { after, ...scope }: AppScope & { readonly after: SessionPlace; readonly before: number; readonly limit: number },
): Promise<SessionRow[]> {
  return listSessions(db, { ...scope, afterUser: after.userId, afterId: after.id });
}

/** An event as far as its age is judged. */
export interface AgingEvent {
  readonly seq: number;
  readonly ts: number;
  readonly turn_start: boolean;
}

const listFirst = createQuery<{ sessionPk: bigint; limit: number }, AgingEvent>({
  name: 'list-first-events',
  text: (param) =>
    `select seq, ts, turn_start from events where session_pk = ${param.sessionPk} order by seq limit ${param.limit}`,
});

/** The first events of a session, in order. */
export function selectFirstEvents(db: Queryable, sessionPk: bigint, limit: number): Promise<AgingEvent[]> {
  return listFirst(db, { sessionPk, limit });
}

const deleteEvents = createQuery<{ sessionPk: bigint; upTo: number }, { events: number; bytes: bigint }>({
  name: 'delete-first-events',
  text: (param) => `with gone as (
      delete from events where session_pk = ${param.sessionPk} and seq <= ${param.upTo} returning octet_length(body::text) as bytes
    ), freed as (
      select count(*)::integer as events, coalesce(sum(bytes), 0)::bigint as bytes from gone
    ), lighter as (
      update sessions s set bytes = greatest(0, s.bytes - (select bytes from freed)) where s.pk = ${param.sessionPk}
    )
    select events, bytes from freed`,
});

/** Deletes the events of a session up to a sequence. */
export async function deleteFirstEvents(
  db: Queryable,
  sessionPk: bigint,
  upTo: number,
): Promise<{ events: number; bytes: number }> {
  const [row] = await deleteEvents(db, { sessionPk, upTo });
  return { events: row?.events ?? 0, bytes: Number(row?.bytes ?? 0n) };
}
