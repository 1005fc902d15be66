import { AttemptEnd_Outcome as Outcome, RunEndedSchema } from '@agentmesh/proto/sessions/v1';
import { fromBinary } from '@bufbuild/protobuf';
import type { Context } from '../context.ts';

export const runEnded = 'agentmesh.sessions.v1.run_ended';

/** Tells the viewers of a queued run that it has ended without this process: cancelled, or executed by another. */
export function createOnRunEnded(context: Context): (payload: Uint8Array) => void {
  return (payload) => {
    if (context.waiting.size === 0) return;
    const { accountId, invocationId, outcome } = fromBinary(RunEndedSchema, payload);
    // The attempt before: its run goes on with the one that is queued.
    if (outcome === Outcome.WAITING) return;
    for (const run of context.waiting.find(accountId, invocationId)) {
      const viewer = context.waiting.take(run);
      if (outcome === Outcome.CANCELLED) viewer?.fail({ type: 'RunCancelled', message: 'The run was cancelled.' });
      else viewer?.fail({ type: 'RunMoved', message: 'The run was executed elsewhere. Read the session again.' });
    }
  };
}
