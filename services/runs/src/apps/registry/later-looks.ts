/** Pauses in milliseconds after which something is looked at, one behind the other. */
const pausesMs = [1_000, 4_000, 15_000, 40_000];

/**
 * Looks at something by its name some times after it has changed, because a system may lose events: of files in a folder that is still being copied, or when
 * too many come at once. A look that finds a change is followed by one after the same pause.
 */
export class LaterLooks implements Disposable {
  readonly #look: (name: string) => Promise<boolean>;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #isDisposed = false;

  /** `look` resolves to whether it found a change. It never rejects. */
  constructor(look: (name: string) => Promise<boolean>) {
    this.#look = look;
  }

  /** Begins anew for this name. */
  begin(name: string): void {
    this.#wait(name, 0);
  }

  #wait(name: string, number: number): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
    const pauseMs = pausesMs[number];
    if (pauseMs === undefined || this.#isDisposed) return;
    const timer = setTimeout(() => void this.#lookOnce(name, number, timer), pauseMs).unref();
    this.#timers.set(name, timer);
  }

  async #lookOnce(name: string, number: number, timer: NodeJS.Timeout): Promise<void> {
    const isChanged = await this.#look(name);
    // The looks of this name may have begun anew, or have ended.
    if (this.#timers.get(name) === timer) this.#wait(name, isChanged ? number : number + 1);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
