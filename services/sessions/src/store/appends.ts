import type { Queryable, Statement } from '@agentmesh/lib/pg';
import type { StateChange } from '../state-delta.ts';
import { eventParameterCount, eventParameters, insertEvents, type StoredEvent } from './events.ts';
import { stateParameterCount, stateParameters, writeState } from './state.ts';

/** A fenced append of a running attempt. */
export interface Append {
  sessionPk: bigint;
  invocationId: string;
  fence: bigint;
  /** The sequence that the session must be at. */
  lastSeq: number;
  events: readonly StoredEvent[];
  changes: readonly StateChange[];
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

export const runEndedSubject = 'agentmesh.sessions.v1.run_ended';

/** Seconds in which the owner of a granted run must take it up before anyone may. */
const grantSeconds = 2;

const firstEvent = 5;
const firstState = firstEvent + eventParameterCount;
const firstEnd = firstState + stateParameterCount;

const fenced = 's.pk = $1 and s.turn = $2 and s.fence = $3 and s.last_seq = $4';
const count = `cardinality($${firstEvent}::text[])`;
const lastTimestamp = `coalesce(($${firstEvent + 3}::float8[])[${count}], s.last_update_time)`;

const append: Statement = {
  name: 'append',
  text: `with moved as (
      update sessions s set version = s.version + 1, last_seq = s.last_seq + ${count}, last_update_time = ${lastTimestamp}
      where ${fenced}
      returning s.account_id, s.app_name, s.user_id, s.pk, s.last_seq, s.last_seq - ${count} as base
    ), stored as (
      ${insertEvents('moved', firstEvent)}
    ), ${writeState('moved', firstState)}
    select last_seq from moved`,
};

const appendAndEnd: Statement = {
  name: 'append-and-end',
  text: `with snap as (
      select s.pk, s.version, (
        select r.invocation_id from runs r where r.session_pk = s.pk and r.status = 'queued' and r.ended_at is null
        order by r.position limit 1
      ) as next
      from sessions s where ${fenced}
    ), moved as (
      update sessions s set version = s.version + 1, turn = snap.next, last_seq = s.last_seq + ${count},
        last_update_time = ${lastTimestamp}
      from snap where s.pk = snap.pk and s.version = snap.version
      returning s.account_id, s.app_name, s.user_id, s.id, s.pk, s.last_seq, s.last_seq - ${count} as base, snap.next
    ), stored as (
      ${insertEvents('moved', firstEvent)}
    ), ${writeState('moved', firstState)}, ended as (
      update runs r set status = $${firstEnd}, error_code = $${firstEnd + 1}, error_message = $${firstEnd + 2},
        ended_at = now(), lease_until = null
      from moved m where r.session_pk = m.pk and r.invocation_id = $2
    ), granted as (
      update runs r set status = 'granted', lease_until = now() + make_interval(secs => ${grantSeconds})
      from moved m where r.session_pk = m.pk and r.invocation_id = m.next
      returning r.owner
    ), told as (
      insert into outbox (subject, payload) select '${runEndedSubject}', $${firstEnd + 3}::bytea from moved
    )
    select m.last_seq, m.next, m.app_name, m.user_id, m.id, g.owner from moved m left join granted g on true
    union all
    select null, null, null, null, null, null from snap where not exists (select from moved)`,
};

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
  const [row] = await db.query<{ last_seq: number }>(append, appendParameters(what));
  return row?.last_seq;
}

/** `moved`: the session changed between snapshot and write. `refused`: fence or sequence do not match. */
export type EndResult = { lastSeq: number; granted?: Granted } | 'moved' | 'refused';

/** Appends, ends the attempt, grants the turn to the next queued run and writes RunEnded to the outbox, all or nothing. */
export async function appendAndEndAttempt(db: Queryable, what: Append, end: AttemptOutcome): Promise<EndResult> {
  const values = [...appendParameters(what), end.status, end.errorCode, end.errorMessage, end.fact];
  const [row] = await db.query<EndRow>(appendAndEnd, values);
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
  return [
    what.sessionPk,
    what.invocationId,
    what.fence,
    what.lastSeq,
    ...eventParameters(what.events),
    ...stateParameters(what.changes),
  ];
}
