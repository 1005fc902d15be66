import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { checkWaiting } from '../execution/admission/check-waiting.ts';
import { startWaiting } from '../execution/take-up.ts';

const mostTogether = 1_000;

/**
 * Asks the ledger about all runs that wait in this process. So a run starts, and its viewer learns that it is gone, also when the hint was lost. Runs
 * that wait for room keep their turns.
 */
export function createCheckQueuedRuns(context: Context): Job {
  return {
    pauseMs: 3_000,
    failure: 'waiting runs cannot be checked',
    async run() {
      const runs = context.waiting.idle();
      for (let from = 0; from < runs.length; from += mostTogether) {
        await checkWaiting(context, runs.slice(from, from + mostTogether));
      }
      startWaiting(context);
    },
  };
}
