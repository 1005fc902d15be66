import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { settleRun } from '../execution/notices/settle-run.ts';
import { takeDueRuns } from '../store/awaited-runs.ts';

const limit = 100;
/** How long a run that still goes on is left alone. */
const pauseSeconds = 5;

/** Makes the notices of awaited runs that have ended, also when no hint of their end arrived. */
export function createSettleAwaitedRuns(context: Context): Job {
  return {
    pauseMs: 10_000,
    failure: 'the ends of runs in the background cannot be read',
    async run() {
      const due = await takeDueRuns(context.db, { limit, pauseSeconds });
      for (const run of due) await settleRun(context, run);
    },
  };
}
