import type { PgBoss } from 'pg-boss';
import { type Database, jobsSchema } from '../pg/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import { bossDatabase } from './boss-database.ts';
import { declareQueues } from './declare-queues.ts';
import { DuePoll } from './due-poll.ts';
import { JobQueue } from './job-queue.ts';
import type { Jobs } from './jobs.ts';
import { type Outcome, outcomes } from './perform-job.ts';
import { createRowLocks } from './row-locks.ts';
import type { TaskRules } from './task.ts';

export interface JobsOptions {
  /** Name of the service, e.g. `auth`. */
  readonly service: string;
  /** Opened with `jobs: true`. */
  readonly db: Database;
  readonly tasks: readonly TaskRules[];
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Once it has aborted, workers fetch no more jobs. A job that is being fetched at that moment still starts. */
  readonly draining?: AbortSignal;
}

/** Least seconds between two looks of all replicas for jobs of dead processes. */
const monitorSeconds = 2;
/** Errors of the queue are logged once in this time, and so are its warnings, because every poll repeats them. */
const quietMs = 60_000;

/** Opens the queue of a service: creates and migrates its tables while other replicas wait. Disposing it lets jobs in hand end. */
export async function openJobs({ service, db, tasks, log, metrics, draining }: JobsOptions): Promise<Jobs> {
  if (db.ownsSchema) await createRowLocks(service, db);
  const { PgBoss: Boss } = await import('pg-boss');
  const boss = new Boss({
    db: bossDatabase(service, db),
    schema: jobsSchema(service),
    createSchema: false,
    migrate: db.ownsSchema,
    schedule: false,
    // It reads statistics of the server, which the login of a service may not.
    monitorVacuum: db.ownsSchema,
    // Its timer would send ten statements every few seconds; DuePoll tells when there is something to do.
    supervise: false,
    monitorIntervalSeconds: monitorSeconds,
  });
  reportErrors(boss, log);
  await boss.start();
  await declareQueues(boss, tasks);
  const attempts = metrics.counter({
    name: 'agentmesh_jobs_attempts_total',
    help: 'Attempts at jobs, by how they ended: done, retried, failed (for good).',
    labelNames: ['service', 'task', 'outcome'],
  });
  const count = (task: TaskRules, outcome: Outcome, by = 1): void =>
    attempts.inc({ service, task: task.name, outcome }, by);
  // Prometheus sees no increase in the first sample of a series, and an alert asks for that of jobs that have failed.
  for (const task of tasks) for (const outcome of outcomes) count(task, outcome, 0);
  const due = new DuePoll({ service, db, log, supervise: () => boss.supervise() });
  const jobs = new JobQueue({ boss, db, due, tasks, log, count });
  draining?.addEventListener('abort', () => void jobs.stop(), { once: true });
  return jobs;
}

function reportErrors(boss: PgBoss, log: Logger): void {
  const isLoud = { error: createQuietTime(), warning: createQuietTime() };
  boss.on('error', (err) => {
    if (isLoud.error()) log.warn({ err }, 'the job queue cannot be read or written');
  });
  boss.on('warning', ({ message, data }) => {
    if (isLoud.warning()) log.warn({ data }, message);
  });
}

/** True on the first call, then false until `quietMs` have passed. */
function createQuietTime(): () => boolean {
  let quietUntil = 0;
  return () => {
    if (performance.now() < quietUntil) return false;
    quietUntil = performance.now() + quietMs;
    return true;
  };
}
