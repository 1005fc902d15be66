import { withinDeadline } from '../../wait/index.ts';
import { cutOff } from '../call/index.ts';
import { Roster } from './roster.ts';
import type { ServerCall } from './server-call.ts';

// Time for `finally` blocks of handlers whose call was just aborted.
const ABORT_GRACE_MS = 1_000;

/** The calls whose handlers have not ended yet. */
export class InFlight {
  readonly #calls = new Roster<ServerCall>();
  /** Present while somebody waits until nothing is in flight. */
  #idle: PromiseWithResolvers<boolean> | undefined;

  get size(): number {
    return this.#calls.size;
  }

  /** Holds the call until the function that it returns is called: when the whole of its handler has settled. */
  enter(call: ServerCall): () => void {
    const leave = this.#calls.add(call);
    return () => {
      leave();
      if (this.#calls.size === 0) this.#endWait();
    };
  }

  /** Resolves when nothing is in flight. Calls that still are after `deadlineMs` are aborted and given one more second. */
  async drain(deadlineMs: number): Promise<void> {
    if (this.#calls.size === 0) return;
    this.#idle ??= Promise.withResolvers();
    const idle = this.#idle.promise;
    if (await withinDeadline(idle, deadlineMs, () => false)) return;
    for (const call of this.#calls) call.abort(cutOff());
    await withinDeadline(idle, ABORT_GRACE_MS, () => false);
  }

  #endWait(): void {
    this.#idle?.resolve(true);
    this.#idle = undefined;
  }
}
