import type { Job } from '@agentmesh/lib/service';
import type { Processor } from '../mail/processing/processor.ts';
import { deleteOldLogs } from '../store/erasure.ts';
import { deleteOldRunWebhooks } from '../store/run-webhooks.ts';

const pauseMs = 3_600_000;
const batchSize = 1_000;

/** Deletes logs, and webhooks of runs, that ended longer ago than `WEBHOOK_LOG_KEEP_DAYS`; none when it is 0. */
export async function expireLogs({ db, clock, limits }: Processor): Promise<void> {
  if (limits.keepDays === 0) return;
  const before = new Date(clock.now().getTime() - limits.keepDays * 86_400_000);
  while ((await deleteOldLogs(db, { before, limit: batchSize })) === batchSize);
  while ((await deleteOldRunWebhooks(db, { before, limit: batchSize })) === batchSize);
}

/** The job that runs `expireLogs` every hour. */
export function createExpireLogs(processor: Processor): Job {
  return { pauseMs, failure: 'deleting old logs failed, trying again', run: () => expireLogs(processor) };
}
