import type { JobWithMetadata, PgBoss, WorkOptions } from 'pg-boss';
import type { Database, Queryable } from '../pg/index.ts';
import type { Logger } from '../telemetry/index.ts';
import { withinDeadline } from '../wait/index.ts';
import { bossTransaction } from './boss-database.ts';
import type { Jobs } from './jobs.ts';
import { type Outcome, performJob } from './perform-job.ts';
import type { Attempt, Handler, NewJob, Task, TaskRules } from './task.ts';

interface QueueParts {
  /** Started; the queues of all tasks exist. */
  readonly boss: PgBoss;
  readonly db: Database;
  readonly tasks: readonly TaskRules[];
  readonly log: Logger;
  readonly count: (task: TaskRules, outcome: Outcome) => void;
}

/** Time that running jobs have to end when the process stops. Then their signals abort, and other processes may take them. */
const stopMs = 5_000;
/** Seconds between two polls of a worker that another worker wakes. */
const wokenPollSeconds = 60;
const neverAborts = new AbortController().signal;

export class JobQueue implements Jobs {
  readonly #parts: QueueParts;
  readonly #boss: PgBoss;
  readonly #workers = new Map<string, string[]>();
  readonly #handled: (() => Promise<number>)[] = [];
  readonly #inHand = new Set<Promise<void>>();
  readonly #failing = new Set<string>();
  #stopping: Promise<void> | undefined;

  constructor(parts: QueueParts) {
    this.#parts = parts;
    this.#boss = parts.boss;
  }

  async add<P extends object>(db: Queryable, task: Task<P>, jobs: readonly NewJob<P>[]): Promise<void> {
    const rows = jobs.map(({ payload, id, key, startAfter }) => ({
      data: task.read(payload),
      ...(id !== undefined && { id }),
      ...(key !== undefined && { singletonKey: key }),
      ...(startAfter && { startAfter }),
    }));
    if (rows.length > 0) await this.#boss.insert(task.name, rows, { db: bossTransaction(db) });
  }

  async remove(db: Queryable, match: object, task?: TaskRules): Promise<number> {
    const options = { db: bossTransaction(db) };
    const removed = new Set<string>();
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
    const ids: string[] = [];
    this.#workers.set(task.name, ids);
    for (let n = 0; n < task.atOnce; n++) {
      // The first worker looks for jobs. Each that finds one has the next worker look, and looks again when it is done.
      const pollingIntervalSeconds = n === 0 ? task.pollSeconds : wokenPollSeconds;
      const options = { includeMetadata: true, pollingIntervalSeconds } satisfies WorkOptions;
      const id = await this.#boss.work<object, void, typeof options>(task.name, options, async ([job]) => {
        this.#notify(ids[n + 1]);
        if (job !== undefined) await this.#perform(task, handler, job);
        this.#notify(ids[n]);
      });
      ids.push(id);
    }
  }

  wake({ name }: TaskRules): void {
    this.#notify(this.#workers.get(name)?.[0]);
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
    const ended = [...this.#workers.keys()].map((name) => this.#boss.offWork(name, { wait: true }));
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
    const { boss, db, log, count } = this.#parts;
    const performance = { boss, db, task, handler, log, failing: this.#failing };
    const performed = performJob({ ...performance, count: (outcome) => count(task, outcome) }, job);
    this.#inHand.add(performed);
    const forget = (): void => void this.#inHand.delete(performed);
    performed.then(forget, forget);
    return performed;
  }

  #notify(worker: string | undefined): void {
    if (worker !== undefined) this.#boss.notifyWorker(worker);
  }
}
