import type { Context } from '../context.ts';
import {
  type CancellableRun,
  cancelQueuedRun,
  cancelWaitingRun,
  findCancellableRun,
  markRunCancelling,
} from '../store/ledger/cancels.ts';
import type { RunEndedFact } from '../store/tell-run-ended.ts';
import { untilCurrent } from '../until-current.ts';
import { endAttempt } from './attempt.ts';
import { cancelled, closingEvent } from './closing-event.ts';
import { hintCancel } from './hint-cancel.ts';
import { hintEnded, runEndedFact } from './run-ended.ts';

interface RunName {
  readonly accountId: string;
  readonly invocationId: string;
  /** Only a run of this user; empty for any. */
  readonly userId: string;
}

/** Cancels the newest run with this id, whatever it does at the moment. False when there is no such run. */
export async function stopRun(context: Context, name: RunName): Promise<boolean> {
  return untilCurrent(async () => {
    const run = await findCancellableRun(context.db, name);
    if (run === undefined) return false;
    return stopIn(context, name, run);
  });
}

/** Acts on the run as it was read. Undefined when it has changed since: then nothing was written. */
function stopIn(context: Context, name: RunName, run: CancellableRun): Promise<true | undefined> {
  switch (run.status) {
    case 'queued':
      return endWithout(context, { ...name, ...run }, (fact) =>
        cancelQueuedRun(context.db, { ...run, ...name, ...fact }),
      );
    case 'granted':
      return endGranted(context, name, run);
    case 'running':
      return markRunning(context, name, run);
    case 'cancelling':
      return Promise.resolve(hintCancel(context, leaseOf(name, run)));
    case 'waiting':
      return stopWaiting(context, { ...name, ...run });
    default:
      return Promise.resolve(true);
  }
}

/** Ends a run of a session that waits for an answer. Undefined when it does not wait any more, or the session was changed: then nothing was written. */
export function stopWaiting(
  context: Context,
  run: Omit<RunName, 'userId'> & Pick<CancellableRun, 'sessionPk' | 'appName'>,
): Promise<true | undefined> {
  const event = closingEvent({ author: run.appName, invocationId: run.invocationId }, cancelled);
  const write = { events: [event], changes: [], limits: context.limits };
  return endWithout(context, run, (fact) => cancelWaitingRun(context.db, { ...run, ...fact }, write));
}

/** Ends a run that has no executor. */
async function endWithout(
  context: Context,
  { accountId, invocationId, sessionPk }: Omit<RunName, 'userId'> & Pick<CancellableRun, 'sessionPk'>,
  end: (fact: RunEndedFact) => Promise<true | undefined>,
): Promise<true | undefined> {
  const ended = { accountId, invocationId, sessionPk, outcome: cancelled.outcome };
  const done = await end(runEndedFact(ended));
  if (done === undefined) return undefined;
  context.wakeOutbox();
  hintEnded(context, ended);
  return true;
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
