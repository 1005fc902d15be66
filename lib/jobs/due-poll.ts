import { type Database, jobsSchema } from '../pg/index.ts';
import type { Logger } from '../telemetry/index.ts';
import type { TaskRules } from './task.ts';
import type { Workers } from './workers.ts';

interface DuePollOptions {
  readonly service: string;
  readonly db: Database;
  readonly log: Logger;
  /** Puts jobs of dead processes back, and deletes those that failed for good long ago. */
  readonly supervise: () => Promise<void>;
}

/** Result of one look. */
interface Found {
  /** Tasks that have jobs that are due. */
  readonly due: readonly string[];
  /** A job is in hand whose process has died or hangs. */
  readonly isAnyLost: boolean;
  /** Milliseconds until the next job becomes due that is not yet. */
  readonly nextMs: number | null;
}

/** Least pause between two looks in milliseconds, and the pause after one that found lost jobs, which another process may be putting back. */
const leastMs = 50;
const lostMs = 1_000;
/** Milliseconds after which jobs are supervised although none is lost. */
const upkeepMs = 600_000;

/**
 * Looks with one statement which tasks of a service have jobs that are due, and wakes their workers. A look of each task by itself, which pg-boss has, is a
 * transaction that locks nothing: idle services made several of them each second. The same look finds jobs of dead processes, for which pg-boss would send ten
 * statements every few seconds.
 */
export class DuePoll {
  readonly #options: DuePollOptions;
  readonly #text: string;
  readonly #workers = new Map<string, Workers>();
  #seconds = Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #isLooking = false;
  /** A wake came while it looked. */
  #isWoken = false;
  #isFailing = false;
  #supervisedAt = performance.now();

  constructor(options: DuePollOptions) {
    this.#options = options;
    const jobs = `${jobsSchema(options.service)}.job`;
    const waiting = `select from ${jobs} j where j.name = task.name and j.state < 'active' and j.start_after`;
    const next = `select min(j.start_after) from ${jobs} j where j.name = any($1) and j.state < 'active' and j.start_after > now()`;
    this.#text = `select array(select task.name from unnest($1::text[]) as task(name) where exists (${waiting} <= now())) as due,
      exists (select from ${jobs} j where j.state = 'active' and (j.started_on + j.expire_seconds * interval '1 s' < now()
        or j.heartbeat_on + j.heartbeat_seconds * interval '1 s' < now())) as "isAnyLost",
      extract(epoch from (${next}) - now())::float8 * 1000 as "nextMs"`;
  }

  /** Looks for jobs of this task too, at least as often as it says. */
  add({ name, pollSeconds }: TaskRules, workers: Workers): void {
    this.#workers.set(name, workers);
    if (pollSeconds >= this.#seconds) return;
    this.#seconds = pollSeconds;
    this.#plan(pollSeconds * 1_000);
  }

  /** Looks soon: a job was put back, which may become due before the next look. */
  wake(): void {
    if (this.#isLooking) this.#isWoken = true;
    else if (this.#timer !== undefined) this.#plan(leastMs);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #plan(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#look(), ms).unref();
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#isWoken = false;
    let pauseMs = this.#seconds * 1_000;
    try {
      pauseMs = await this.#wakeDue(pauseMs);
      this.#isFailing = false;
    } catch (err) {
      const { log, service } = this.#options;
      if (!this.#isFailing) log.warn({ err, service }, 'jobs that are due cannot be found');
      this.#isFailing = true;
    } finally {
      this.#isLooking = false;
      this.#plan(this.#isWoken ? leastMs : pauseMs);
    }
  }

  /** Answers the pause until the next look. */
  async #wakeDue(longestMs: number): Promise<number> {
    const { db } = this.#options;
    const statement = { name: 'find-due-tasks', text: this.#text };
    const [found] = await db.query<Found & Record<string, unknown>>(statement, [[...this.#workers.keys()]]);
    for (const name of found?.due ?? []) this.#workers.get(name)?.wake();
    const isAnyLost = found?.isAnyLost === true;
    if (isAnyLost || performance.now() - this.#supervisedAt > upkeepMs) await this.#supervise();
    return isAnyLost ? lostMs : Math.min(longestMs, Math.max(leastMs, found?.nextMs ?? longestMs));
  }

  async #supervise(): Promise<void> {
    await this.#options.supervise();
    this.#supervisedAt = performance.now();
  }
}
