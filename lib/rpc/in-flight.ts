import { draining } from './failures.ts';
import { Roster } from './roster.ts';
import type { ServerCall } from './server-call.ts';

// Time for `finally` blocks of handlers whose call was just aborted.
const ABORT_GRACE_MS = 1_000;

/** The calls whose handlers have not ended yet. */
export class InFlight {
  readonly #calls = new Roster<ServerCall>();
  #onIdle: (() => void)[] = [];

  get size(): number {
    return this.#calls.size;
  }

  /** Holds the call until `work`, the whole of its handler, has settled. */
  track(call: ServerCall, work: Promise<unknown>): void {
    const leave = this.#calls.add(call);
    const release = (): void => {
      leave();
      this.#wake();
    };
    work.then(release, release);
  }

  /** Resolves when nothing is in flight; what still is after `deadlineMs` is aborted and given one more second. */
  async drain(deadlineMs: number): Promise<void> {
    if (await this.#idleWithin(deadlineMs)) return;
    for (const call of this.#calls) call.abort(draining());
    await this.#idleWithin(ABORT_GRACE_MS);
  }

  #idleWithin(timeoutMs: number): Promise<boolean> {
    if (this.#calls.size === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs, false);
      this.#onIdle.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  #wake(): void {
    if (this.#calls.size > 0 || this.#onIdle.length === 0) return;
    const waiting = this.#onIdle;
    this.#onIdle = [];
    for (const wake of waiting) wake();
  }
}
