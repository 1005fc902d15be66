import { createQuery, type Placeholders, type Queryable } from '@agentmesh/lib/pg';

/** A run by all its names: its id is unique in its session only. Rows of a former version have no names of a session; they mean the newest run. */
export interface AwaitedRun {
  readonly accountId: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly invocationId: string;
}

interface Room {
  readonly accountId: string;
  /** Most rows of the account. */
  readonly most: number;
}

/** SQL expression: whether the account has fewer rows than it may. */
const hasRoom = (param: Placeholders<Room>): string => `(
      select count(*) from (select from awaited_runs where account_id = ${param.accountId} limit ${param.most}) rows
    ) < ${param.most}`;

/** Notes that the end of a run becomes a notice. Does nothing when that is noted already, or the account has as many as it may. */
export const insertAwaitedRun = createQuery<AwaitedRun & Room & { title: string }>({
  name: 'insert-awaited-run',
  text: (param) => `insert into awaited_runs (account_id, app_name, user_id, session_id, invocation_id, title)
    select ${param.accountId}, ${param.appName}, ${param.userId}, ${param.sessionId}, ${param.invocationId}, ${param.title}
    where ${hasRoom(param)}
    on conflict do nothing`,
});

const askRoom = createQuery<Room, { room: boolean }>({
  name: 'ask-room-of-awaited-runs',
  text: (param) => `select ${hasRoom(param)} as room`,
});

/** True when the account may have one more. */
export async function hasRoomToAwait(db: Queryable, room: Room): Promise<boolean> {
  return (await askRoom(db, room))[0]?.room === true;
}

/** Takes runs that are due to be looked up in the ledger, and sets when they are due again. */
export const takeDueRuns = createQuery<{ limit: number; pauseSeconds: number }, AwaitedRun>({
  name: 'take-due-awaited-runs',
  // By the rows' addresses: PostgreSQL might read the whole table to join it with the due ones.
  text: (param) => `update awaited_runs a set look_at = now() + ${param.pauseSeconds}::integer * interval '1 second'
    where ctid = any(array(
      select ctid from awaited_runs where look_at <= now() order by look_at
      limit ${param.limit}::integer for update skip locked
    ))
    returning a.account_id as "accountId", a.app_name as "appName", a.user_id as "userId", a.session_id as "sessionId",
      a.invocation_id as "invocationId"`,
});

/** Ends the wait for a run. No row when another process has ended it. */
export const deleteAwaitedRun = createQuery<AwaitedRun, { title: string }>({
  name: 'delete-awaited-run',
  text: (
    param,
  ) => `delete from awaited_runs where account_id = ${param.accountId} and invocation_id = ${param.invocationId}
      and app_name = ${param.appName} and user_id = ${param.userId} and session_id = ${param.sessionId}
    returning title`,
});
