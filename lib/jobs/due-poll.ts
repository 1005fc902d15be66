import { type Database, jobsSchema } from '../pg/index.ts';
import type { Logger } from '../telemetry/index.ts';
import type { TaskRules } from './task.ts';
import type { Workers } from './workers.ts';

interface DuePollOptions {
  readonly service: string;
  readonly db: Database;
  readonly log: Logger;
}

/**
 * Looks with one statement which tasks of a service have jobs that are due, and wakes their workers. A look of each task by itself, which pg-boss has, is a
 * transaction that locks nothing: idle services made several of them each second.
 */
export class DuePoll {
  readonly #options: DuePollOptions;
  readonly #text: string;
  readonly #workers = new Map<string, Workers>();
  #seconds = Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isFailing = false;

  constructor(options: DuePollOptions) {
    this.#options = options;
    const due = `select from ${jobsSchema(options.service)}.job j where j.name = task.name and j.state < 'active' and j.start_after <= now()`;
    this.#text = `select task.name from unnest($1::text[]) as task(name) where exists (${due})`;
  }

  /** Looks for jobs of this task too, at least as often as it says. */
  add({ name, pollSeconds }: TaskRules, workers: Workers): void {
    this.#workers.set(name, workers);
    if (pollSeconds >= this.#seconds) return;
    this.#seconds = pollSeconds;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => void this.#look(), pollSeconds * 1_000).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { db, log, service } = this.#options;
    try {
      const statement = { name: 'find-due-tasks', text: this.#text };
      const due = await db.query<{ name: string }>(statement, [[...this.#workers.keys()]]);
      for (const { name } of due) this.#workers.get(name)?.wake();
      this.#isFailing = false;
    } catch (err) {
      if (!this.#isFailing) log.warn({ err, service }, 'jobs that are due cannot be found');
      this.#isFailing = true;
    } finally {
      this.#isLooking = false;
    }
  }
}
