import type { JobWithMetadata, PgBoss } from 'pg-boss';
import type { Database } from '../pg/index.ts';
import type { Logger } from '../telemetry/index.ts';
import { unlessAborted } from '../wait/index.ts';
import { bossTransaction } from './boss-database.ts';
import { type Handler, PermanentJobError, type Task, type TaskRules } from './task.ts';

/** Outcomes of an attempt; `failed` means for good. */
export const outcomes = ['done', 'retried', 'failed'] as const;
export type Outcome = (typeof outcomes)[number];

export interface Performance<Payload extends object> {
  readonly boss: PgBoss;
  readonly db: Database;
  readonly task: Task<Payload>;
  readonly handler: Handler<Payload>;
  readonly log: Logger;
  /** Names of tasks whose last attempt failed. */
  readonly failing: Set<string>;
  /** Called after each attempt, unless the process ended during it. */
  readonly count: (outcome: Outcome) => void;
}

const lost = 'a job was removed, put back or taken over while it was done';

/** Makes one attempt at a job that this process has taken, and settles it. Rejects only when PostgreSQL cannot be reached. */
export async function performJob<P extends object>(performance: Performance<P>, job: JobWithMetadata): Promise<void> {
  const { boss, task, log, count, failing } = performance;
  const error = await attempt(performance, job);
  // pg-boss aborts the signal when the job was removed or taken over, and when the process stops, after it has put the job back.
  if (job.signal.aborted) return log.info(toldOf(task, job), lost);
  if (error === undefined) {
    await boss.deleteJob(task.name, job);
    failing.delete(task.name);
    return count('done');
  }
  const pause = error instanceof PermanentJobError ? undefined : pauseAfter(task, job.retryCount + 1);
  await putBack(performance, job, { error, pause });
}

/** Makes one attempt. Answers its failure; undefined when it succeeded. */
async function attempt<P extends object>({ task, handler }: Performance<P>, job: JobWithMetadata) {
  const number = job.retryCount + 1;
  // `putBack` does not see attempts that end with their process.
  if (number > (task.mostAttempts ?? number)) return new PermanentJobError('every attempt ended with its process');
  const signal = AbortSignal.any([job.signal, AbortSignal.timeout(task.timeoutSeconds * 1000)]);
  try {
    await unlessAborted(
      handler(task.read(job.data), { jobId: job.id, number, addedAt: job.createdOn, signal }),
      signal,
    );
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Seconds until the next attempt; undefined after the last one. */
function pauseAfter({ retrySeconds, mostAttempts }: TaskRules, attempts: number): number | undefined {
  if (mostAttempts !== undefined && attempts >= mostAttempts) return undefined;
  return retrySeconds[attempts - 1] ?? retrySeconds.at(-1);
}

interface Failure {
  readonly error: Error;
  readonly pause: number | undefined;
}

async function putBack<P extends object>(performance: Performance<P>, job: JobWithMetadata, { error, pause }: Failure) {
  const { boss, db, task, log, count, failing } = performance;
  const told = toldOf(task, job);
  const held = await db.transaction(async (tx) => {
    const options = { db: bossTransaction(tx) };
    const failed = await boss.fail(task.name, job, { message: error.message }, options);
    if (!('affected' in failed) || failed.affected === 0) return false;
    const id = job.id;
    if (pause !== undefined) {
      await boss.update(task.name, undefined, { ...options, id, startAfter: pause });
    } else {
      if (task.personal) await boss.update(task.name, null, { ...options, id });
      await boss.cancel(task.name, id, options);
    }
    return true;
  });
  if (!held) return log.info(told, lost);
  count(pause === undefined ? 'failed' : 'retried');
  if (pause === undefined) return log.error({ ...told, err: error }, 'a job has failed for good');
  // Logged once until a job of the task succeeds: while a server is away, all jobs fail.
  log[failing.has(task.name) ? 'debug' : 'warn'](
    { ...told, err: error, retryInSeconds: pause },
    'a job failed and is tried again',
  );
  failing.add(task.name);
}

function toldOf({ name }: TaskRules, { id, retryCount }: JobWithMetadata) {
  return { task: name, jobId: id, attempt: retryCount + 1 };
}
