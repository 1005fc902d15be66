/** Pauses in milliseconds before the code of an app that was not loaded in time is loaded again; the last one is repeated. */
const pausesMs = [1_000, 2_000, 5_000, 15_000, 60_000];

interface Late {
  readonly times: number;
  readonly timer: NodeJS.Timeout;
}

/** Apps whose code was not loaded in time. Each is loaded again, after pauses that grow, until it has an outcome of another kind. */
export class LateApps implements Disposable {
  readonly #apps = new Map<string, Late>();
  readonly #load: (name: string) => void;

  constructor(load: (name: string) => void) {
    this.#load = load;
  }

  /** To be called after each load of an app. */
  note(name: string, isLate: boolean): void {
    const known = this.#apps.get(name);
    clearTimeout(known?.timer);
    if (!isLate) {
      this.#apps.delete(name);
      return;
    }
    const times = known?.times ?? 0;
    const pauseMs = pausesMs[Math.min(times, pausesMs.length - 1)];
    this.#apps.set(name, { times: times + 1, timer: setTimeout(() => this.#load(name), pauseMs).unref() });
  }

  has(name: string): boolean {
    return this.#apps.has(name);
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#apps.values()) clearTimeout(timer);
  }
}
