import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { startWaiting, takeUpDue } from '../execution/take-up.ts';

/** Ends runs whose executor has died, and executes runs that have none. */
export function createClaimDueRuns(context: Context): Job {
  return {
    pauseMs: 3_000,
    failure: 'runs without an executor cannot be taken up',
    async run() {
      await takeUpDue(context);
      startWaiting(context);
    },
  };
}
