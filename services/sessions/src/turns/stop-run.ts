import type { Queryable } from '@agentmesh/lib/pg';
import type { Context } from '../context.ts';
import {
  type CancellableRun,
  cancelQueuedRun,
  cancelWaitingRun,
  findCancellableRun,
  markRunCancelling,
} from '../store/ledger/cancels.ts';
import type { PlacedRunName, RunName } from '../store/ledger/run-reads.ts';
import { untilCurrent } from '../until-current.ts';
import { type AttemptEnding, endAttempt } from './attempt.ts';
import { cancelled, closingEvent } from './closing-event.ts';
import { hintCancel } from './hint-cancel.ts';
import { hintEnded, runEndedFact } from './run-ended.ts';

/** Cancels the newest run with this id, whatever it does at the moment. False when there is no such run. */
export async function stopRun(context: Context, name: PlacedRunName): Promise<boolean> {
  return untilCurrent(async () => {
    const run = await findCancellableRun(context.db, name);
    if (run === undefined) return false;
    return stopIn(context, name, run);
  });
}

/** Acts on the run as it was read. Undefined when it has changed since: then nothing was written. */
async function stopIn(context: Context, name: RunName, run: CancellableRun): Promise<true | undefined> {
  switch (run.status) {
    case 'queued':
    case 'waiting': {
      const ended = await (run.status === 'queued' ? endQueued : endWaiting)(context, { ...name, ...run });
      return ended && tellStopped(context, ended);
    }
    case 'granted':
      return endGranted(context, name, run);
    case 'running':
      return markRunning(context, name, run);
    case 'cancelling':
      return hintCancel(context, leaseOf(name, run));
    default:
      return true;
  }
}

type NamedRun = Omit<RunName, 'userId'> & Pick<CancellableRun, 'sessionPk'>;

/** The end of a run that was stopped. Tell it by `tellStopped` after the commit. */
export type StoppedRun = NamedRun & Pick<AttemptEnding, 'outcome'>;

/** Ends a run that waits for an answer, with an event. Undefined when it does not wait any more, or the session was changed: then nothing was written. */
export async function endWaiting(
  { db, limits }: { readonly db: Queryable } & Pick<Context, 'limits'>,
  run: NamedRun & Pick<CancellableRun, 'appName'>,
): Promise<StoppedRun | undefined> {
  const event = closingEvent({ author: run.appName, invocationId: run.invocationId }, cancelled);
  const write = { events: [event], changes: [], limits };
  const ended = endOf(run);
  return (await cancelWaitingRun(db, { ...run, ...runEndedFact(ended) }, write)) && ended;
}

/** Tells other processes that a run has ended. */
export function tellStopped(context: Context, ended: StoppedRun): true {
  context.wakeOutbox();
  hintEnded(context, ended);
  return true;
}

/** Ends a run that is in the queue. Undefined like `endWaiting`. */
async function endQueued(context: Context, run: NamedRun): Promise<StoppedRun | undefined> {
  const ended = endOf(run);
  return (await cancelQueuedRun(context.db, { ...run, ...runEndedFact(ended) })) && ended;
}

function endOf({ accountId, invocationId, sessionPk }: NamedRun): StoppedRun {
  return { accountId, invocationId, sessionPk, outcome: cancelled.outcome };
}

/** A granted run holds the turn, and no executor has started it: the next run in the queue gets the turn. */
async function endGranted(context: Context, name: RunName, run: CancellableRun): Promise<true | undefined> {
  const { sessionPk, fence, lastSeq } = run;
  if (fence === null || lastSeq === null) return undefined;
  const { accountId, invocationId } = name;
  const end = { accountId, sessionPk, invocationId, fence, lastSeq, events: [], changes: [], limits: context.limits };
  return (await endAttempt(context, end, cancelled)) === undefined ? undefined : true;
}

async function markRunning(context: Context, name: RunName, run: CancellableRun): Promise<true | undefined> {
  const marked = await markRunCancelling(context.db, { ...name, sessionPk: run.sessionPk });
  return marked && hintCancel(context, leaseOf(name, run));
}

function leaseOf({ accountId, invocationId }: RunName, { sessionPk, attemptFence: fence }: CancellableRun) {
  return { accountId, sessionPk, invocationId, fence };
}
