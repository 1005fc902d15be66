import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { takeUp, takeUpDue } from '../execution/take-up.ts';

/** Time after which a missing hint counts as lost. */
const hintIsLateMs = 1_500;
const mostNamedClaims = 16;

/** Executes runs that have no executor: their process died, or the hint of their grant was lost. */
export function createClaimDueRuns(context: Context): Job {
  return {
    pauseMs: 1_000,
    failure: 'runs without an executor cannot be taken up',
    async run() {
      const limit = context.config.maxConcurrent - context.executor.running;
      if (limit < 1) return;
      await takeUpDue(context, limit);
      const late = context.waiting.since(Date.now() - hintIsLateMs);
      for (const run of late.slice(0, mostNamedClaims)) await takeUp(context, run);
    },
  };
}
