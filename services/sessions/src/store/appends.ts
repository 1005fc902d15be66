import { subjectOf } from '@agentmesh/lib/bus';
import type { Queryable } from '@agentmesh/lib/pg';
import { RunEndedSchema } from '@agentmesh/proto/sessions/v1';
import { shapedStatement, type Write, writeParameters } from './write.ts';

/** A fenced append of a running attempt. */
export interface Append extends Write {
  sessionPk: bigint;
  invocationId: string;
  fence: bigint;
  /** The sequence that the session must be at. */
  lastSeq: number;
}

/** How an attempt ends. */
export interface AttemptOutcome {
  status: 'completed' | 'failed' | 'cancelled' | 'waiting';
  errorCode: string | null;
  errorMessage: string | null;
  /** RunEnded, for the outbox. */
  fact: Uint8Array;
}

/** The run that got the turn when an attempt ended. */
export interface Granted {
  invocationId: string;
  owner: string;
  appName: string;
  userId: string;
  sessionId: string;
}

/** Seconds in which the owner of a granted run must take it up before anyone may. */
const grantSeconds = 2;

const fenced = 's.pk = $1 and s.turn = $2 and s.fence = $3 and s.last_seq = $4';
const appended = `version = s.version + 1, last_seq = s.last_seq + $5::integer,
  last_update_time = coalesce($6::float8, s.last_update_time)`;
const firstWrite = 7;

const append = shapedStatement(
  { name: 'append', source: 'moved', first: firstWrite },
  ({ ctes }) => `with moved as (
      update sessions s set ${appended}
      where ${fenced}
      returning s.account_id, s.app_name, s.user_id, s.pk, s.last_seq, s.last_seq - $5::integer as base
    )${ctes}
    select last_seq from moved`,
);

const ended = (first: number): string => `ended as (
      update runs r set status = $${first}, error_code = $${first + 1}, error_message = $${first + 2},
        ended_at = now(), lease_until = null
      from moved where r.session_pk = $1 and r.invocation_id = $2
    ), told as (
      insert into outbox (subject, payload) select '${subjectOf(RunEndedSchema)}', $${first + 3}::bytea from moved
    )`;

const appendAndEndUnqueued = shapedStatement(
  { name: 'append-and-end-unqueued', source: 'moved', first: firstWrite },
  ({ ctes, next }) => `with moved as (
      update sessions s set ${appended}, turn = null
      where ${fenced} and s.queued = 0
      returning s.account_id, s.app_name, s.user_id, s.pk, s.last_seq, s.last_seq - $5::integer as base
    )${ctes}, ${ended(next)}
    select last_seq from moved`,
);

const appendAndEnd = shapedStatement(
  { name: 'append-and-end', source: 'moved', first: firstWrite },
  ({ ctes, next }) => `with snap as (
      select s.pk, s.version, (
        select r.invocation_id from runs r where r.session_pk = s.pk and r.status = 'queued' and r.ended_at is null
        order by r.position limit 1
      ) as next
      from sessions s where ${fenced}
    ), moved as (
      update sessions s set ${appended}, turn = snap.next,
        queued = case when snap.next is null then 0 else s.queued - 1 end
      from snap where s.pk = snap.pk and s.version = snap.version
      returning s.account_id, s.app_name, s.user_id, s.id, s.pk, s.last_seq, s.last_seq - $5::integer as base, snap.next
    )${ctes}, ${ended(next)}, granted as (
      update runs r set status = 'granted', lease_until = now() + make_interval(secs => ${grantSeconds})
      from moved m where r.session_pk = $1 and r.invocation_id = m.next
      returning r.owner
    )
    select m.last_seq, m.next, m.app_name, m.user_id, m.id, g.owner from moved m left join granted g on true
    union all
    select null, null, null, null, null, null from snap where not exists (select from moved)`,
);

interface EndRow {
  last_seq: number | null;
  next: string | null;
  app_name: string;
  user_id: string;
  id: string;
  owner: string | null;
}

/** Appends without ending. The new last sequence, or undefined when fence or sequence do not match: nothing was changed. */
export async function appendEvents(db: Queryable, what: Append): Promise<number | undefined> {
  const [row] = await db.query<{ last_seq: number }>(append(what), appendParameters(what));
  return row?.last_seq;
}

/** `moved`: the session changed between snapshot and write. `refused`: fence or sequence do not match. */
export type EndResult = { lastSeq: number; granted?: Granted } | 'moved' | 'refused';

/** Appends, ends the attempt, grants the turn to the next queued run and writes RunEnded to the outbox, all or nothing. */
export async function appendAndEndAttempt(db: Queryable, what: Append, end: AttemptOutcome): Promise<EndResult> {
  const values = [...appendParameters(what), end.status, end.errorCode, end.errorMessage, end.fact];
  // Nobody waits, as a rule: then there is nothing to look up and nothing to grant.
  const [unqueued] = await db.query<{ last_seq: number }>(appendAndEndUnqueued(what), values);
  if (unqueued !== undefined) return { lastSeq: unqueued.last_seq };
  const [row] = await db.query<EndRow>(appendAndEnd(what), values);
  if (row === undefined) return 'refused';
  if (row.last_seq === null) return 'moved';
  if (row.next === null || row.owner === null) return { lastSeq: row.last_seq };
  const granted = {
    invocationId: row.next,
    owner: row.owner,
    appName: row.app_name,
    userId: row.user_id,
    sessionId: row.id,
  };
  return { lastSeq: row.last_seq, granted };
}

function appendParameters(what: Append): unknown[] {
  const { sessionPk, invocationId, fence, lastSeq, events } = what;
  const timestamp = events.at(-1)?.timestamp ?? null;
  return [sessionPk, invocationId, fence, lastSeq, events.length, timestamp, ...writeParameters(what)];
}
