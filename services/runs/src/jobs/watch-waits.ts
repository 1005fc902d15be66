import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { createWaitWatch } from '../execution/watch-waits.ts';

/** Tells what the runs of this process have been waiting for. */
export function createWatchWaits({ executor, log, runLines }: Context): Job {
  const look = createWaitWatch(log, runLines);
  return {
    pauseMs: 1_000,
    failure: 'waits of runs cannot be told',
    run: () => Promise.resolve(look(executor)),
  };
}
