import type { JobWithMetadata, PgBoss, WorkOptions } from 'pg-boss';
import type { TaskRules } from './task.ts';

/** Seconds between two polls of a worker that is not told to look: see DuePoll. */
const ownPollSeconds = 600;

type Perform = (job: JobWithMetadata) => Promise<void>;

/**
 * The workers of a task in this process: `atOnce`, each with one job at a time. One idle worker looks for jobs. When it finds one, it
 * tells another idle worker to look, so a long job delays no other job while a worker is idle.
 */
export class Workers {
  readonly #boss: PgBoss;
  readonly #task: TaskRules;
  readonly #ids: string[] = [];
  /** Indexes into `#ids`. */
  readonly #idle = new Set<number>();

  constructor(boss: PgBoss, task: TaskRules) {
    this.#boss = boss;
    this.#task = task;
  }

  async start(perform: Perform): Promise<void> {
    const { name, atOnce } = this.#task;
    const options = { includeMetadata: true, pollingIntervalSeconds: ownPollSeconds } satisfies WorkOptions;
    for (let n = 0; n < atOnce; n++) {
      this.#idle.add(n);
      const work = ([job]: JobWithMetadata[]): Promise<void> => this.#work(n, perform, job);
      this.#ids.push(await this.#boss.work<object, void, typeof options>(name, options, work));
    }
  }

  /** Tells an idle worker to look for jobs now. When all are busy, the first that ends its job looks again. */
  wake(): void {
    for (const n of this.#idle) return this.#notify(n);
  }

  /** Begins no job any more. Resolves when the jobs in hand have ended. */
  async stop(): Promise<void> {
    await this.#boss.offWork(this.#task.name, { wait: true });
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
    const id = this.#ids[n];
    if (id !== undefined) this.#boss.notifyWorker(id);
  }
}
