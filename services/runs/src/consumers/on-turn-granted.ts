import { setTimeout as delay } from 'node:timers/promises';
import type { HintHandler } from '@agentmesh/lib/bus';
import type { TurnGrantedSchema } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { checkWaiting } from '../execution/admission/check-waiting.ts';
import { startWaiting, takeUp } from '../execution/take-up.ts';

/** The hint of a grant may arrive before the response that the run is queued; then the run is not among the waiting ones yet. */
const runComesWithinMs = 50;

/**
 * Executes a run that this process queued when it is granted its turn, as soon as there is room. If the hint is lost, the job
 * `check-queued-runs` does it.
 */
export function onTurnGranted(context: Context): HintHandler<typeof TurnGrantedSchema> {
  return async ({ owner, session, invocationId }) => {
    if (owner !== context.owner || session === undefined || context.draining.aborted) return;
    const run = { session, invocationId };
    if (!context.waiting.has(run)) await delay(runComesWithinMs);
    if (!context.waiting.has(run)) {
      // A run that another process queued and this one has taken over.
      if (context.admission.mayStart(session.accountId)) await takeUp(context, run);
      return;
    }
    context.waiting.grant(run);
    startWaiting(context);
    // Without room it keeps its turn by a lease.
    const left = context.waiting.find(session.accountId, invocationId).filter((one) => context.waiting.isIdle(one));
    if (left.length > 0) await checkWaiting(context, left);
  };
}
