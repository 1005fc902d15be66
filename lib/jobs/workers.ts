import type { JobWithMetadata, PgBoss, WorkOptions } from 'pg-boss';
import type { TaskRules } from './task.ts';

/** Seconds between two polls of a worker that is not told to look: see DuePoll. */
const ownPollSeconds = 600;

type Perform = (job: JobWithMetadata) => Promise<void>;

/**
 * The workers of a task in this process: up to `atOnce`, each with one job at a time. One idle worker looks for jobs. When it finds one, it
 * tells another idle worker to look, so a long job delays no other job while a worker is idle. The first one is there from the beginning and each other one from the
 * moment when all are busy: a new worker looks at once, and a service that starts would look for as many jobs at once as it may do.
 */
export class Workers {
  readonly #boss: PgBoss;
  readonly #task: TaskRules;
  readonly #ids = new Map<number, string>();
  /** Numbers of workers, which are the keys of `#ids`. */
  readonly #idle = new Set<number>();
  #perform: Perform | undefined;
  #added = 0;
  #isStopped = false;

  constructor(boss: PgBoss, task: TaskRules) {
    this.#boss = boss;
    this.#task = task;
  }

  async start(perform: Perform): Promise<void> {
    this.#perform = perform;
    await this.#add(perform);
  }

  /** Tells an idle worker to look for jobs now. When all are busy, the first that ends its job looks again. */
  wake(): void {
    for (const n of this.#idle) return this.#notify(n);
    if (this.#perform === undefined || this.#isStopped || this.#added === this.#task.atOnce) return;
    // It fails where PostgreSQL is away. Then the others look again when they have ended their jobs.
    this.#add(this.#perform).catch(() => undefined);
  }

  /** Begins no job any more. Resolves when the jobs in hand have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#boss.offWork(this.#task.name, { wait: true });
  }

  async #add(perform: Perform): Promise<void> {
    const n = this.#added;
    this.#added += 1;
    this.#idle.add(n);
    const options = { includeMetadata: true, pollingIntervalSeconds: ownPollSeconds } satisfies WorkOptions;
    const work = ([job]: JobWithMetadata[]): Promise<void> => this.#work(n, perform, job);
    try {
      this.#ids.set(n, await this.#boss.work<object, void, typeof options>(this.#task.name, options, work));
    } catch (error) {
      this.#idle.delete(n);
      this.#added -= 1;
      throw error;
    }
  }

  async #work(n: number, perform: Perform, job: JobWithMetadata | undefined): Promise<void> {
    this.#idle.delete(n);
    this.wake();
    try {
      if (job !== undefined) await perform(job);
    } finally {
      this.#idle.add(n);
    }
    this.#notify(n);
  }

  /** A worker that is looking at this moment looks once more. */
  #notify(n: number): void {
    const id = this.#ids.get(n);
    if (id !== undefined) this.#boss.notifyWorker(id);
  }
}
