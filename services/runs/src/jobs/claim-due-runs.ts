import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { startWaiting, takeUpDue } from '../execution/take-up.ts';

/** Ends runs whose executor has died, and executes runs that have none. */
export function createClaimDueRuns(context: Context): Job {
  return {
    pauseMs: 3_000,
    failure: 'runs without an executor cannot be taken up',
    async run() {
      await renewExpired(context);
      await takeUpDue(context);
      startWaiting(context);
    },
  };
}

/** After a stop of this process its own runs are due too: it goes on with them, and does not begin them anew. */
async function renewExpired({ executor }: Context): Promise<void> {
  const expired = executor.expired(performance.now());
  if (expired.length > 0) await executor.renew(expired);
}
