import type { HintHandler } from '@agentmesh/lib/bus';
import { MeshError } from '@agentmesh/lib/rpc';
import { AttemptEnd_Outcome, type RunEnded, type RunEndedSchema, RunStatus } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { leaveEnded } from '../execution/admission/left-runs.ts';
import type { RunName, WaitingRun } from '../execution/admission/waiting-runs.ts';
import { settleRun } from '../execution/notices/settle-run.ts';
import { checkLeases } from '../execution/check-leases.ts';
import type { AwaitedRun } from '../store/awaited-runs.ts';

const timeoutMs = 5_000;

/**
 * Has the streams of the run look at the ledger, and makes the notice of a run that this process awaits. Tells the viewers of a queued run that it was
 * cancelled, or shows them the events of the process that has executed it. An attempt that runs here is stopped at once when it has lost its turn, not at
 * the next renewal. The hint only starts a look: the ledger says what is true. Every run has such a hint, and most concern nobody here.
 */
export function onRunEnded(context: Context): HintHandler<typeof RunEndedSchema> {
  return (ended) => {
    const { accountId, invocationId, outcome } = ended;
    context.runWatchers.ended(accountId, invocationId);
    const isStopped = outcome === AttemptEnd_Outcome.CANCELLED || outcome === AttemptEnd_Outcome.INTERRUPTED;
    const waiting = context.waiting.size === 0 ? [] : context.waiting.find(accountId, invocationId);
    const awaited = context.awaited.find(ended);
    return isStopped || awaited.length > 0 || waiting.length > 0
      ? act(context, ended, { waiting, awaited, isStopped })
      : undefined;
  };
}

interface Concern {
  readonly waiting: readonly WaitingRun[];
  readonly awaited: readonly AwaitedRun[];
  readonly isStopped: boolean;
}

async function act(
  context: Context,
  { invocationId }: RunEnded,
  { waiting, awaited, isStopped }: Concern,
): Promise<void> {
  await Promise.all([
    ...waiting.map(async (run) => leaveEnded(context, run, await statusOf(context, run))),
    ...awaited.map((run) => settleRun(context, run)),
    isStopped && checkLeases(context, (lease) => lease.invocationId === invocationId),
  ]);
}

/** A run that is gone counts as cancelled. */
async function statusOf({ sessions }: Context, { session, invocationId }: RunName): Promise<RunStatus> {
  const { accountId, appName, userId, sessionId } = session;
  try {
    const { run } = await sessions.getRun({ accountId, appName, userId, sessionId, invocationId }, { timeoutMs });
    return run?.status ?? RunStatus.UNSPECIFIED;
  } catch (error) {
    if (error instanceof MeshError && error.code === 'not_found') return RunStatus.CANCELLED;
    throw error;
  }
}
