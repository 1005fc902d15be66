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

/** Time in milliseconds for which others wait for such a call: few take longer, and one whose agent was abandoned never ends. ADK leaves branches of a parallel agent where they have yielded when another one fails. */
const longestTryMs = 300_000;

/** Whether a model has failed lately. When its time is over, one call asks it again; the others wait for how that ends. */
export class Cooldown {
  readonly #ms: number;
  readonly #now: () => number;
  #until: number | undefined;
  /** When others no longer wait for the call that asks again; 0 without one. */
  #triedUntil = 0;

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(ms: number, now: () => number) {
    this.#ms = ms;
    this.#now = now;
  }

  get isCooling(): boolean {
    return this.#until !== undefined && this.#now() < Math.max(this.#until, this.#triedUntil);
  }

  /** To be called before a call of the model. Returns the function to call when it has ended. */
  begin(): (outcome: 'answered' | 'left' | LlmResponse) => void {
    const isTry = this.#until !== undefined;
    if (isTry) this.#triedUntil = this.#now() + longestTryMs;
    return (outcome) => {
      if (isTry) this.#triedUntil = 0;
      if (outcome === 'answered') this.#until = undefined;
      else if (outcome !== 'left' && this.#ms > 0 && away.has(outcome.errorCode ?? '')) {
        this.#until = this.#now() + this.#ms;
      }
    };
  }
}
