import type { Job } from '@agentmesh/lib/service';
import type { Logger } from '@agentmesh/lib/telemetry';
import { beginRound } from '../store/replicas/rounds.ts';
import { countAnew, type CountingContext } from './count-anew.ts';

const pauseMs = 10 * 60_000;
/** All replicas together begin one round in this time. */
const roundSeconds = 9 * 60;

/** The job that counts accounts anew and deletes the oldest runs of those that have too many. */
export function createCountAnew(context: CountingContext, log: Logger): Job {
  return {
    pauseMs,
    failure: 'the usage of accounts could not be counted anew, trying again',
    run: async () => {
      if (!(await beginRound(context.db, 'count-anew', roundSeconds))) return;
      const runs = await countAnew(context);
      if (runs > 0) log.info({ runs }, 'the oldest runs of accounts that have too many were deleted');
    },
  };
}
