import type { Job } from '@agentmesh/lib/service';
import type { Logger } from '@agentmesh/lib/telemetry';
import { beginRound } from '../store/replicas/rounds.ts';
import { deleteOld, type RetentionContext } from './delete-old.ts';

const pauseMs = 10 * 60_000;
/** All replicas together begin one round in this time. */
const roundSeconds = 6 * 60 * 60;

/** The job that deletes old runs and events. */
export function createRetention(context: RetentionContext, log: Logger): Job {
  return {
    pauseMs,
    failure: 'old runs and events could not be deleted, trying again',
    run: async () => {
      if (!(await beginRound(context.db, 'retention', roundSeconds))) return;
      const deleted = await deleteOld(context);
      if (deleted.runs + deleted.events > 0) log.info(deleted, 'old runs and events were deleted');
    },
  };
}
