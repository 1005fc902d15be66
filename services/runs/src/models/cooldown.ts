import type { LlmResponse } from '@google/adk/core';

/** Failures of a model that is away or overloaded. Others belong to the request, the key or the account, and say nothing about the next call. */
const away: ReadonlySet<string> = new Set([
  'UNAVAILABLE',
  'RESOURCE_EXHAUSTED',
  'DEADLINE_EXCEEDED',
  'INTERNAL',
  'UNKNOWN',
  'MODEL_UNREACHABLE',
  'MODEL_STREAM_BROKEN',
  'MODEL_RESPONSE_UNREADABLE',
  'MODEL_ERROR',
]);

/** Whether a model has failed lately. When its time is over, one call asks it again; the others wait for how that ends. */
export class Cooldown {
  readonly #ms: number;
  readonly #now: () => number;
  #until: number | undefined;
  #isTried = false;

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(ms: number, now: () => number) {
    this.#ms = ms;
    this.#now = now;
  }

  get isCooling(): boolean {
    return this.#until !== undefined && (this.#isTried || this.#now() < this.#until);
  }

  /** To be called before a call of the model. Returns the function to call when it has ended. */
  begin(): (outcome: 'answered' | 'left' | LlmResponse) => void {
    const isTry = this.#until !== undefined;
    if (isTry) this.#isTried = true;
    return (outcome) => {
      if (isTry) this.#isTried = false;
      if (outcome === 'answered') this.#until = undefined;
      else if (outcome !== 'left' && this.#ms > 0 && away.has(outcome.errorCode ?? '')) {
        this.#until = this.#now() + this.#ms;
      }
    };
  }
}
