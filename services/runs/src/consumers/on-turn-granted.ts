import { setTimeout as delay } from 'node:timers/promises';
import type { HintHandler } from '@agentmesh/lib/bus';
import type { TurnGrantedSchema } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { takeUp } from '../execution/take-up.ts';

/** The hint of a grant may arrive before the response that the run is queued; then its viewer is not registered yet. */
const viewerComesWithinMs = 50;

/** Pauses between claims: a claim returns no turn while many others write to the session. */
const pausesMs = [10, 30, 100, 300];

/** Executes a run that this process queued when it is granted its turn. If the hint is lost, the job `claim-due-runs` does it. */
export function onTurnGranted(context: Context): HintHandler<typeof TurnGrantedSchema> {
  return async ({ owner, session, invocationId }) => {
    if (owner !== context.owner || session === undefined || context.draining.aborted) return;
    if (!context.waiting.has({ session, invocationId })) await delay(viewerComesWithinMs);
    for (const pauseMs of pausesMs) {
      if (await takeUp(context, { session, invocationId })) return;
      await delay(pauseMs);
    }
  };
}
