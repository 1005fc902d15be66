import type { HintHandler } from '@agentmesh/lib/bus';
import { MeshError } from '@agentmesh/lib/rpc';
import { AttemptEnd_Outcome, type RunEndedSchema, RunStatus } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { leaveEnded } from '../execution/admission/left-runs.ts';
import type { RunName } from '../execution/admission/waiting-runs.ts';
import { checkLeases } from '../execution/check-leases.ts';

const timeoutMs = 5_000;

/**
 * Has the streams of the run look at the ledger. Tells the viewers of a queued run that it was cancelled, or shows them the events of the process that has executed it. An attempt that runs here is
 * stopped at once when it has lost its turn, not at the next renewal. The hint only starts a look: the ledger says what is true.
 */
export function onRunEnded(context: Context): HintHandler<typeof RunEndedSchema> {
  return async ({ accountId, invocationId, outcome }) => {
    context.runWatchers.ended(accountId, invocationId);
    for (const run of context.waiting.find(accountId, invocationId)) {
      leaveEnded(context, run, await statusOf(context, run));
    }
    if (outcome === AttemptEnd_Outcome.CANCELLED || outcome === AttemptEnd_Outcome.INTERRUPTED)
      await checkLeases(context, (lease) => lease.invocationId === invocationId);
  };
}

/** A run that is gone counts as cancelled. */
async function statusOf({ sessions }: Context, { session, invocationId }: RunName): Promise<RunStatus> {
  const { accountId, userId } = session;
  try {
    const { run } = await sessions.getRun({ accountId, userId, invocationId }, { timeoutMs });
    return run?.status ?? RunStatus.UNSPECIFIED;
  } catch (error) {
    if (error instanceof MeshError && error.code === 'not_found') return RunStatus.CANCELLED;
    throw error;
  }
}
