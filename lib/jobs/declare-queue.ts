import type { PgBoss } from 'pg-boss';
import type { TaskRules } from './task.ts';

/** A process that says nothing for so long has died. pg-boss allows no less than 10. */
const heartbeatSeconds = 15;
const day = 86_400;

/** Makes the queue of a task, or gives it the rules of this release. */
export async function declareQueue(boss: PgBoss, task: TaskRules): Promise<void> {
  const options = {
    heartbeatSeconds,
    expireInSeconds: task.timeoutSeconds + 10,
    // When and whether a job is tried again is decided in perform-job.ts; these are for attempts that end with their process.
    retryLimit: 1_000_000,
    retryDelay: 0,
    // pg-boss deletes jobs that waited longer, and jobs that failed for good so long ago.
    retentionSeconds: 3_650 * day,
    deleteAfterSeconds: 30 * day,
  };
  await boss.createQueue(task.name, { ...options, policy: task.oneWaitingPerKey ? 'short' : 'standard' });
  await boss.updateQueue(task.name, options);
}
