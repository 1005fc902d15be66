import { createQuery, type Placeholders, type Queryable } from '@agentmesh/lib/pg';
import type { RunOfSession } from '../../session-key.ts';
import { laterUpdate } from '../created-at.ts';
import { hasNumber, isRun, isSessionOfRun, isSnap } from '../key-condition.ts';
import { bytesOfEvents } from '../sizes.ts';
import { type RunEndedFact, tellRunEnded } from '../tell-run-ended.ts';
import { createWriteQuery, type Write } from '../write.ts';
import type { PlacedRunName } from './run-reads.ts';

/** A run, and the present fence and sequence of its session. */
export interface CancellableRun {
  readonly sessionPk: bigint;
  readonly status: string;
  /** Fence of the run's latest attempt. */
  readonly attemptFence: bigint;
  readonly appName: string;
  /** Fence of the session; null when the session is deleted. */
  readonly fence: bigint | null;
  readonly lastSeq: number | null;
}

const findCancellable = createQuery<Required<PlacedRunName>, CancellableRun>({
  name: 'find-cancellable-run',
  text: (param) => `select r.session_pk as "sessionPk", r.status, r.fence as "attemptFence", r.app_name as "appName",
      s.fence, s.last_seq as "lastSeq"
    from (
      select account_id, session_pk, status, fence, app_name from runs
      where account_id = ${param.accountId} and invocation_id = ${param.invocationId}
        and (${param.userId}::text = '' or user_id = ${param.userId})
        and (${param.appName}::text = '' or app_name = ${param.appName}) and (${param.sessionId}::text = '' or session_id = ${param.sessionId})
      order by created_at desc, position desc limit 1
    ) r left join sessions s on ${isSessionOfRun}`,
});

/** The newest run of the account with this id; undefined when there is none. */
export async function findCancellableRun(db: Queryable, name: PlacedRunName): Promise<CancellableRun | undefined> {
  const [run] = await findCancellable(db, { appName: '', sessionId: '', ...name });
  return run;
}

/** Seconds that the executor of a running attempt has to end it. Then any executor ends it. */
const closingSeconds = 3;

/** SQL of the CTE `snap`: the session, if the run has this status. It is changed only if it is still as it was read. */
const snapOf = (param: Placeholders<RunOfSession>, status: string): string => `snap as (
      select s.account_id, s.pk, s.version from sessions s
      where ${hasNumber(param, 's')} and exists (
        select from runs r where ${isRun(param, 'r')} and r.status = '${status}'
      )
    )`;

const unchanged = `from snap where ${isSnap}`;

/** SQL of the CTEs that end the run as cancelled and, when it is awaited, tell so through the outbox. */
const endCancelled = (param: Placeholders<RunOfSession & RunEndedFact>, endSeq = ''): string => `ended as (
      update runs r set status = 'cancelled', ended_at = now(), due_at = null, message = null, state_delta = null, added_messages = null, answer_by = null${endSeq}
      from moved where ${isRun(param, 'r')}
      returning r.awaited
    ), told as (
      ${tellRunEnded(param)}
    )`;

const cancelQueued = createQuery<RunOfSession & RunEndedFact, object>({
  name: 'cancel-queued-run',
  groupCommit: true,
  text: (param) => `with ${snapOf(param, 'queued')}, moved as (
      update sessions s set version = s.version + 1, queued = greatest(s.queued - 1, 0) ${unchanged} returning s.pk
    ), ${endCancelled(param)}
    select pk from moved`,
});

/** Ends a queued run as cancelled. Undefined when it is not queued any more, or the session was changed: then nothing was written. */
export async function cancelQueuedRun(db: Queryable, run: RunOfSession & RunEndedFact): Promise<true | undefined> {
  return (await cancelQueued(db, run)).length > 0 || undefined;
}

const markCancelling = createQuery<RunOfSession, object>({
  name: 'mark-run-cancelling',
  groupCommit: true,
  text: (param) => `with ${snapOf(param, 'running')}, moved as (
      update sessions s set version = s.version + 1, fence = s.fence + 1 ${unchanged} returning s.pk
    ), marked as (
      update runs r set status = 'cancelling', due_at = least(r.due_at, now() + make_interval(secs => ${closingSeconds}))
      from moved where ${isRun(param, 'r')}
    )
    select pk from moved`,
});

/**
 * Marks a running attempt: from then on its executor's appends are refused, except its end as cancelled. Undefined when the run is not running
 * any more, or the session was changed: then nothing was written.
 */
export async function markRunCancelling(db: Queryable, run: RunOfSession): Promise<true | undefined> {
  return (await markCancelling(db, run)).length > 0 || undefined;
}

type WaitingValues = RunOfSession & RunEndedFact & { readonly eventTime: number; readonly addedBytes: number };

const cancelWaiting = createWriteQuery<WaitingValues, { pk: bigint }>({
  name: 'cancel-waiting-run',
  source: 'moved',
  text: (param, writes) => `with ${snapOf(param, 'waiting')}, moved as (
      update sessions s set version = s.version + 1, last_seq = s.last_seq + 1, last_update_time = ${laterUpdate('s.last_update_time', param.eventTime)},
        bytes = s.bytes + ${param.addedBytes}::bigint ${unchanged}
      returning s.account_id, s.app_name, s.user_id, s.pk, s.last_seq - 1 as base
    ), ${endCancelled(param, ', end_seq = moved.base + 1')}${writes}
    select pk from moved`,
});

/** Ends a run that waits for an answer, with an event. Undefined like `cancelQueuedRun`. */
export async function cancelWaitingRun(
  db: Queryable,
  run: RunOfSession & RunEndedFact,
  write: Write,
): Promise<true | undefined> {
  const eventTime = write.events.at(-1)?.timestamp ?? Date.now() / 1000;
  const rows = await cancelWaiting(db, { ...run, eventTime, addedBytes: bytesOfEvents(write.events) }, write);
  return rows.length > 0 || undefined;
}
