export interface LaneOptions<T> {
  /** Most tasks at work at the same time. */
  readonly limit: number;
  /** Works on a task. Resolves with a pause in milliseconds when the task is to be tried again. Never rejects. */
  readonly work: (task: T) => Promise<number | undefined>;
}

/**
 * Works on tasks with the same key one after the other, in the order in which they were added, and on others at the same time. A lane whose first
 * task pauses does not hold up other lanes.
 */
export class Lanes<T> {
  readonly #options: LaneOptions<T>;
  readonly #lanes = new Map<string, T[]>();
  readonly #ready: string[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();
  #atWork = 0;
  #isClosed = false;
  #idle: (() => void) | undefined;

  constructor(options: LaneOptions<T>) {
    this.#options = options;
  }

  add(key: string, task: T): void {
    if (this.#isClosed) return;
    const lane = this.#lanes.get(key);
    if (lane !== undefined) {
      lane.push(task);
      return;
    }
    this.#lanes.set(key, [task]);
    this.#ready.push(key);
    this.#start();
  }

  /** Drops the tasks that are not at work. Resolves when the others are over, after `timeoutMs` at the latest. */
  async close(timeoutMs: number): Promise<void> {
    this.#isClosed = true;
    this.#ready.length = 0;
    for (const timer of this.#timers) clearTimeout(timer);
    if (this.#atWork === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#idle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #start(): void {
    while (!this.#isClosed && this.#atWork < this.#options.limit) {
      const key = this.#ready.shift();
      if (key === undefined) return;
      this.#atWork += 1;
      void this.#step(key);
    }
  }

  async #step(key: string): Promise<void> {
    const lane = this.#lanes.get(key);
    const [task] = lane ?? [];
    const pauseMs = task === undefined ? undefined : await this.#options.work(task);
    this.#atWork -= 1;
    if (this.#isClosed) {
      if (this.#atWork === 0) this.#idle?.();
      return;
    }
    if (pauseMs === undefined) this.#next(key, lane);
    else this.#again(key, pauseMs);
    this.#start();
  }

  #next(key: string, lane: T[] | undefined): void {
    lane?.shift();
    if (lane === undefined || lane.length === 0) this.#lanes.delete(key);
    else this.#ready.push(key);
  }

  #again(key: string, pauseMs: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#ready.push(key);
      this.#start();
    }, pauseMs);
    this.#timers.add(timer);
  }
}
