import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { recallForgotten, sweepExecutors } from '../takeover/sweep-executors.ts';

/** Notes outages of the database, see OutageWatch, and finds runs whose executor is gone. */
export function createSweepExecutors(context: Context): Job {
  return {
    pauseMs: 1_500,
    failure: 'the database does not answer, or runs of dead executors cannot be found',
    run: () => sweepExecutors(context),
  };
}

/** See recallForgotten. */
export function createRecallExecutors(context: Context): Job {
  return { pauseMs: 60_000, failure: 'forgotten executors cannot be found', run: () => recallForgotten(context) };
}
