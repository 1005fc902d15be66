import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import { sessionNotFound } from '../errors.ts';
import type { CheckedKey, NumberedSession, RunOfSession } from '../session-key.ts';
import { hasKey, isOfSession, isRun, isServed, isSessionOfRun } from './key-condition.ts';

type DueStatus = 'granted' | 'running' | 'cancelling';

/** A run that an executor may take up, or whose executor is gone. */
export interface DueRun extends RunOfSession {
  key: CheckedKey;
  status: DueStatus;
  /** Error code with which the run is being stopped; null when it is not, and when it is being cancelled. */
  cause: string | null;
  owner: string;
  fence: bigint;
  lastSeq: number;
  message: string | null;
  stateDelta: string | null;
  customMetadata: string | null;
  streaming: boolean;
  isBound: boolean;
  answeredSeq: number | undefined;
  /** JSON of the calls that it waited for, and of the messages that it has kept; null when there are none. */
  waitingFor: string | null;
  added: string | null;
  /** Sequence of its first event; undefined where it is not known. */
  firstSeq: number | undefined;
  /** Whether nobody may take it over any more: see ClaimRunsRequest.takes_over. */
  isAbandoned: boolean;
  /** Whether other runs wait for its turn. */
  hasQueue: boolean;
}

export interface RunRow {
  session_pk: bigint;
  account_id: string;
  app_name: string;
  user_id: string;
  id: string;
  invocation_id: string;
  status: DueStatus;
  error_code: string | null;
  owner: string;
  fence: bigint;
  last_seq: number;
  message: string | null;
  state_delta: string | null;
  custom_metadata: string | null;
  streaming: boolean;
  bound: boolean;
  answered_seq: number | null;
  waiting_for: string | null;
  added: string | null;
  first_seq: number | null;
  abandoned: boolean | null;
  has_queue: boolean;
}

/** Seconds after the end of its lease, and number of executors before, behind which a run is not taken over. */
const abandoned = { seconds: 60, takeovers: 3 };

/** SQL expression: see DueRun.isAbandoned; null for false. */
export const isAbandoned = `(r.takeovers >= ${abandoned.takeovers} or r.due_at < now() - make_interval(secs => ${abandoned.seconds}))`;

/** SQL of the columns of a run, from its row `r` and its session `s`. */
export const runColumns = `r.session_pk, s.account_id, s.app_name, s.user_id, s.id, r.invocation_id, r.status, r.error_code, r.owner, s.fence, s.last_seq,
  r.message::text, r.state_delta::text, r.custom_metadata::text, r.streaming, r.bound, r.answered_seq, r.first_seq,
  r.waiting_for::text as waiting_for, r.added_messages::text as added,
  ${isAbandoned} as abandoned, s.queued > 0 as has_queue`;

/** SQL condition: row `r` is due. The first part is true for all: where PostgreSQL has no statistics, it makes few rows of the range, so that a statement begins with them. */
export const isDue = `r.due_at > '-infinity' and r.due_at < now()`;

const findAnyDue = createQuery<object, { isAny: boolean }>({
  name: 'find-any-due-run',
  text: () => `select exists (select from runs r where ${isDue}) as "isAny"`,
});

/** Whether a run waits for an executor, for whatever reason. */
export async function isAnyRunDue(db: Queryable): Promise<boolean> {
  return (await findAnyDue(db, {}))[0]?.isAny === true;
}

/** SQL that joins the session `s` of row `r`, which is read first: an account has few due runs and many sessions. */
export const joinSession = `cross join lateral (select * from sessions s where ${isSessionOfRun} offset 0) s`;

type RunKey = CheckedKey & { readonly invocationId: string };

const findGranted = createQuery<RunKey, RunRow>({
  name: 'find-granted-run',
  text: (param) => `select ${runColumns} from sessions s cross join lateral (
      select * from runs where account_id = s.account_id and session_pk = s.pk and invocation_id = ${param.invocationId} and status = 'granted' offset 0
    ) r where ${hasKey(param, 's')}`,
});

/** Bytes of requests behind which due runs are left for the next look. */
const mostDueBytes = 32 * 1024 * 1024;

const findDue = createQuery<{ apps: readonly string[]; limit: number }, RunRow>({
  name: 'find-due-runs',
  text: (param) => `select * from (
      select due.*, sum(octet_length(coalesce(message, '')) + octet_length(coalesce(state_delta, '')))
        over (order by due_at rows between unbounded preceding and 1 preceding) as bytes_before
      from (
        select ${runColumns}, r.due_at from runs r ${joinSession}
        where ${isDue} and (r.status = 'granted') is true
          and ${isServed(param.apps, 'r.app_name')}
        order by r.due_at limit ${param.limit}
      ) due
    ) measured where coalesce(bytes_before, 0) < ${mostDueBytes} order by due_at`,
});

/** A granted run of a session. */
export async function findGrantedRun(
  db: Queryable,
  key: CheckedKey,
  invocationId: string,
): Promise<DueRun | undefined> {
  const [row] = await findGranted(db, { ...key, invocationId });
  return row === undefined ? undefined : toRun(row);
}

/** Granted runs of apps whose owner has not started them in time, at least one if there are any. See ClaimRunsRequest.apps. */
export async function findDueRuns(db: Queryable, apps: readonly string[], limit: number): Promise<DueRun[]> {
  return (await findDue(db, { apps, limit })).map(toRun);
}

const adoptQueued = createQuery<NumberedSession & { owner: string; heir: string }>({
  name: 'adopt-queued-runs',
  groupCommit: true,
  text: (param) => `update runs set owner = ${param.heir}
    where ${isOfSession(param)} and owner = ${param.owner} and (status = 'queued') is true and ended_at is null`,
});

/**
 * Gives the runs that the owner of a due run has queued in the session to `heir`, who is then told when they get the turn. A process that
 * is gone cannot be told, and each of its runs would wait for the next sweep. Owners in `alive` keep their runs. Where no run waits, nothing is sent.
 */
export async function adoptQueuedRuns(
  db: Queryable,
  { accountId, sessionPk, owner, hasQueue }: DueRun,
  { heir, alive }: { readonly heir: string; readonly alive: ReadonlySet<string> },
): Promise<void> {
  if (hasQueue && owner !== heir && !alive.has(owner)) await adoptQueued(db, { accountId, sessionPk, owner, heir });
}

export interface HeldRun extends RunOfSession {
  readonly fence: bigint;
}

const findHeldAttempt = createQuery<HeldRun, AttemptState>({
  name: 'find-attempt',
  text: (param) => `select s.pk is not null and s.turn = ${param.invocationId} and s.fence = ${param.fence} as holds,
      r.fence = ${param.fence} and r.ended_at is not null as ended, s.last_seq,
      case when r.fence = ${param.fence} and r.status = 'cancelling' and s.turn = ${param.invocationId} then s.fence end as cancel_fence,
      r.error_code as cause
    from runs r left join sessions s on ${isSessionOfRun}
    where ${isRun(param, 'r')}`,
});

export interface AttemptState {
  /** The attempt holds the turn. */
  readonly holds: boolean | null;
  /** This attempt has ended. */
  readonly ended: boolean | null;
  /** Null when the session is gone. */
  readonly last_seq: number | null;
  /** Set while this attempt is being cancelled: the fence with which its end can be stored. */
  readonly cancel_fence: bigint | null;
  /** With `cancel_fence`: the error code of another cause than cancel. */
  readonly cause: string | null;
}

/** The state of an attempt; undefined when there is no such run. */
export async function findAttempt(db: Queryable, run: HeldRun): Promise<AttemptState | undefined> {
  const [row] = await findHeldAttempt(db, run);
  return row;
}

const findBound = createQuery<HeldRun, { bound: boolean }>({
  name: 'find-bound-run',
  text: (param) => `select r.bound from runs r
    where ${isRun(param, 'r')} and r.fence = ${param.fence}`,
});

/** Whether an attempt may not change `app:` state. */
export async function selectIsBound(db: Queryable, run: HeldRun): Promise<boolean> {
  const [row] = await findBound(db, run);
  return row?.bound ?? false;
}

const findStatus = createQuery<RunKey, { status: string | null }>({
  name: 'find-run-status',
  text: (param) => `select (
      select status from runs where account_id = s.account_id and session_pk = s.pk and invocation_id = ${param.invocationId}
    ) as status from sessions s where ${hasKey(param, 's')}`,
});

/**
 * The status of a run, null when the session has no such run.
 *
 * @throws MeshError not_found `session_not_found`
 */
export async function selectRunStatus(db: Queryable, key: CheckedKey, invocationId: string): Promise<string | null> {
  const [row] = await findStatus(db, { ...key, invocationId });
  if (row === undefined) throw sessionNotFound();
  return row.status;
}

export function toRun(row: RunRow): DueRun {
  return {
    accountId: row.account_id,
    sessionPk: row.session_pk,
    key: { accountId: row.account_id, appName: row.app_name, userId: row.user_id, sessionId: row.id },
    invocationId: row.invocation_id,
    status: row.status,
    cause: row.error_code,
    owner: row.owner,
    fence: row.fence,
    lastSeq: row.last_seq,
    message: row.message,
    stateDelta: row.state_delta,
    customMetadata: row.custom_metadata,
    streaming: row.streaming,
    isBound: row.bound,
    answeredSeq: row.answered_seq ?? undefined,
    waitingFor: row.waiting_for,
    added: row.added,
    firstSeq: row.first_seq ?? undefined,
    isAbandoned: row.abandoned === true,
    hasQueue: row.has_queue,
  };
}
