import { setTimeout as delay } from 'node:timers/promises';
import type { HintHandler } from '@agentmesh/lib/bus';
import type { TurnGrantedSchema } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { takeUp } from '../execution/take-up.ts';

/** A grant may be heard of before the answer that the run was queued, and so before there is a viewer. */
const viewerComesWithinMs = 50;

/** A claim answers nothing while many others write to the session. */
const pausesMs = [10, 30, 100, 300];

/** Executes a run that this process queued, when its turn has come. A hint that is missed is made up for by the sweeper. */
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
