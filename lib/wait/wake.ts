export interface WaitOptions {
  /** Without it the wait has no deadline. The timer does not keep the process alive. */
  readonly timeoutMs?: number;
  /** Ends the wait when it aborts. */
  readonly signal?: AbortSignal;
}

/**
 * Tells one loop that there is something to do. Wakes coalesce: any number of them between two waits end the next wait once.
 *
 *     while (!signal.aborted) {
 *       await lookForWork();
 *       await work.wait({ timeoutMs: 3_000, signal });
 *     }
 */
export class Wake {
  #isWoken = false;
  #resolve: ((isWoken: boolean) => void) | undefined;
  /** Takes the timer and the listener of the present wait away. */
  #release: (() => void) | undefined;

  wake(): void {
    if (this.#resolve === undefined) this.#isWoken = true;
    else this.#end(true);
  }

  /**
   * Resolves with true after a wake, at once when there was one since the last wait; with false when the time is over or the
   * signal aborts. Never rejects. Only one wait at a time: throws when another one is not over.
   */
  wait(options?: WaitOptions): Promise<boolean> {
    if (this.#resolve !== undefined) throw new Error('Somebody waits for this wake already.');
    if (this.#isWoken || options?.signal?.aborted) {
      const isWoken = this.#isWoken;
      this.#isWoken = false;
      return Promise.resolve(isWoken);
    }
    return new Promise((resolve) => {
      this.#resolve = resolve;
      if (options !== undefined) this.#limit(options);
    });
  }

  #limit({ timeoutMs, signal }: WaitOptions): void {
    const end = (): void => this.#end(false);
    const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs).unref();
    signal?.addEventListener('abort', end);
    this.#release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    };
  }

  #end(isWoken: boolean): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    this.#release?.();
    this.#release = undefined;
    resolve?.(isWoken);
  }
}
