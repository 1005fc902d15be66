import type { PgBoss } from 'pg-boss';
import type { TaskRules } from './task.ts';

/** Seconds without a heartbeat after which a process counts as dead. pg-boss requires at least 10. */
const heartbeatSeconds = 15;
const day = 86_400;

/** Creates the queue of a task, or updates its rules to those of this release. */
export async function declareQueue(boss: PgBoss, task: TaskRules): Promise<void> {
  const options = {
    heartbeatSeconds,
    expireInSeconds: task.timeoutSeconds + 10,
    // perform-job.ts decides whether and when a job is tried again; these retries are for attempts that end with their process.
    retryLimit: 1_000_000,
    retryDelay: 0,
    // pg-boss deletes jobs that waited longer than this, and jobs that failed for good this long ago.
    retentionSeconds: 3_650 * day,
    deleteAfterSeconds: 30 * day,
  };
  await boss.createQueue(task.name, options);
  await boss.updateQueue(task.name, options);
}
