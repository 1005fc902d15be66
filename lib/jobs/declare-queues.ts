import { isDeepStrictEqual } from 'node:util';
import type { PgBoss } from 'pg-boss';
import type { TaskRules } from './task.ts';

/** Seconds without a heartbeat after which a process counts as dead. pg-boss requires at least 10. */
const heartbeatSeconds = 15;
const day = 86_400;

/** Creates the queues of tasks, or updates their rules to those of this release. Writes nothing where all is there. */
export async function declareQueues(boss: PgBoss, tasks: readonly TaskRules[]): Promise<void> {
  const known = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
  for (const task of tasks) {
    const rules = rulesOf(task);
    const queue = known.get(task.name);
    if (queue === undefined) await boss.createQueue(task.name, rules);
    else if (!isDeepStrictEqual({ ...queue, ...rules }, queue)) await boss.updateQueue(task.name, rules);
  }
}

function rulesOf(task: TaskRules) {
  return {
    heartbeatSeconds,
    expireInSeconds: task.timeoutSeconds + 10,
    // perform-job.ts decides whether and when a job is tried again; these retries are for attempts that end with their process.
    retryLimit: 1_000_000,
    retryDelay: 0,
    // pg-boss deletes jobs that waited longer than this, and jobs that failed for good this long ago.
    retentionSeconds: 3_650 * day,
    deleteAfterSeconds: 30 * day,
  };
}
