import type { HintHandler } from '@agentmesh/lib/bus';
import { AttemptEnd_Outcome, type RunEndedSchema } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';

/**
 * Tells the viewers of a queued run that it has ended without this process: cancelled, or executed by another. An attempt
 * that was cancelled while it runs here is stopped at once, not at the next renewal.
 */
export function onRunEnded(context: Context): HintHandler<typeof RunEndedSchema> {
  return async ({ accountId, invocationId, outcome }) => {
    // The run that ended is an earlier attempt that waits for input; the queued attempt continues it.
    if (outcome === AttemptEnd_Outcome.WAITING) return;
    for (const run of context.waiting.find(accountId, invocationId)) {
      const viewer = context.waiting.take(run);
      if (outcome === AttemptEnd_Outcome.CANCELLED)
        viewer?.fail({ type: 'RunCancelled', message: 'The run was cancelled.' });
      else viewer?.fail({ type: 'RunMoved', message: 'The run was executed elsewhere. Read the session again.' });
    }
    if (outcome === AttemptEnd_Outcome.CANCELLED) await stopIfLost(context, invocationId);
  };
}

/** Asks sessions which attempt ended, because invocation ids are unique only in their session, and the hint names no session. */
async function stopIfLost({ executor, sessions, owner }: Context, invocationId: string): Promise<void> {
  const leases = executor.leases().filter((lease) => lease.invocationId === invocationId);
  if (leases.length === 0) return;
  const { lost } = await sessions.renewLeases({ owner, leases });
  executor.stopLost(lost);
}
