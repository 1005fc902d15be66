import type { JobWithMetadata, PgBoss } from 'pg-boss';
import type { Database, Queryable } from '../pg/index.ts';
import type { Logger } from '../telemetry/index.ts';
import { withinDeadline } from '../wait/index.ts';
import { bossTransaction } from './boss-database.ts';
import type { DuePoll } from './due-poll.ts';
import type { Jobs } from './jobs.ts';
import { type Outcome, performJob } from './perform-job.ts';
import type { Attempt, Handler, NewJob, Task, TaskRules } from './task.ts';
import { Workers } from './workers.ts';

interface QueueParts {
  /** Started; the queues of all tasks exist. */
  readonly boss: PgBoss;
  readonly db: Database;
  readonly due: DuePoll;
  readonly tasks: readonly TaskRules[];
  readonly log: Logger;
  readonly count: (task: TaskRules, outcome: Outcome) => void;
}

/** Time that running jobs have to end when the process stops. Then their signals abort, and other processes may take them. */
const stopMs = 5_000;
const neverAborts = new AbortController().signal;

export class JobQueue implements Jobs {
  readonly #parts: QueueParts;
  readonly #boss: PgBoss;
  readonly #workers = new Map<string, Workers>();
  readonly #handled: (() => Promise<number>)[] = [];
  readonly #inHand = new Set<Promise<void>>();
  readonly #failing = new Set<string>();
  #stopping: Promise<void> | undefined;

  constructor(parts: QueueParts) {
    this.#parts = parts;
    this.#boss = parts.boss;
  }

  async add<P extends object>(db: Queryable, task: Task<P>, jobs: readonly NewJob<P>[]): Promise<void> {
    const rows = jobs.map(({ payload, id }) => ({ data: task.read(payload), ...(id !== undefined && { id }) }));
    if (rows.length > 0) await this.#boss.insert(task.name, rows, { db: bossTransaction(db) });
  }

  async remove(db: Queryable, match: object, task?: TaskRules): Promise<number> {
    const options = { db: bossTransaction(db) };
    const removed = new Set<string>();
    // A search reads every job of the service, also those that failed for good in the last 30 days (30 ms among 50,000 jobs). pg-boss
    // 12.35 has no index for it: not on payloads, and on `singletonKey` only for queues that refuse or order jobs of the same key.
    for (const { name } of task === undefined ? this.#parts.tasks : [task]) {
      for (;;) {
        const ids = (await this.#boss.findJobs(name, { ...options, data: match })).map(({ id }) => id);
        if (ids.length === 0) break;
        // This misses a job that is put back at the same time, because that is a new row. The next round finds it.
        await this.#boss.deleteJob(name, ids, options);
        for (const id of ids) removed.add(id);
      }
    }
    return removed.size;
  }

  async isHeld(db: Queryable, { name }: TaskRules, { jobId: id, number }: Attempt): Promise<boolean> {
    const [job] = await this.#boss.findJobs(name, { id, db: bossTransaction(db) });
    return job?.state === 'active' && job.retryCount === number - 1;
  }

  async work<P extends object>(task: Task<P>, handler: Handler<P>): Promise<void> {
    if (this.#stopping !== undefined) return;
    this.#handled.push(() => this.#doSome(task, handler));
    const workers = new Workers(this.#boss, task);
    this.#workers.set(task.name, workers);
    await workers.start((job) => this.#perform(task, handler, job));
    if (this.#stopping === undefined) this.#parts.due.add(task, workers);
  }

  wake({ name }: TaskRules): void {
    this.#workers.get(name)?.wake();
  }

  async drain<P extends object>(task: Task<P>, handler: Handler<P>): Promise<void> {
    while ((await this.#doSome(task, handler)) > 0);
  }

  async settle(): Promise<void> {
    for (;;) {
      const numbers = await Promise.all(this.#handled.map((doSome) => doSome()));
      if (this.#inHand.size === 0 && numbers.every((number) => number === 0)) return;
      await Promise.allSettled(this.#inHand);
    }
  }

  /** Starts no more jobs, waits for those in hand, and puts back those that take too long. It also ends while PostgreSQL is away. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    this.#parts.due.stop();
    const ended = [...this.#workers.values()].map((workers) => workers.stop());
    await withinDeadline(Promise.allSettled(ended), stopMs, () => undefined);
    await withinDeadline(this.#boss.stop({ graceful: false }), stopMs, () => undefined);
  }

  /** Does as many jobs as run at the same time, and returns their number. */
  async #doSome<P extends object>(task: Task<P>, handler: Handler<P>): Promise<number> {
    const jobs = await this.#boss.fetch<object>(task.name, { batchSize: task.atOnce, includeMetadata: true });
    await Promise.all(jobs.map((job) => this.#perform(task, handler, Object.assign(job, { signal: neverAborts }))));
    return jobs.length;
  }

  #perform<P extends object>(task: Task<P>, handler: Handler<P>, job: JobWithMetadata): Promise<void> {
    const { boss, db, log, due } = this.#parts;
    const performance = { boss, db, task, handler, log, failing: this.#failing };
    const count = (outcome: Outcome): void => {
      this.#parts.count(task, outcome);
      if (outcome === 'retried') due.wake();
    };
    const performed = performJob({ ...performance, count }, job);
    this.#inHand.add(performed);
    const forget = (): void => void this.#inHand.delete(performed);
    performed.then(forget, forget);
    return performed;
  }
}
