import { ModelCallError } from '../model-call-error.ts';

/** Longest silence of a model, in milliseconds. */
export interface Patience {
  /** Between two parts. */
  readonly timeoutMs: number;
  /** Until the first part, if shorter. */
  readonly firstMs?: number;
}

/** Aborts a call whose model is silent for too long, and when the caller aborts. */
export class Watchdog {
  readonly #timeoutMs: number;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  #timer: NodeJS.Timeout;
  #waitingMs: number;
  readonly #onAbort = (): void => this.#controller.abort(this.#outer?.reason);
  #expired: ModelCallError | undefined;

  constructor({ timeoutMs, firstMs = timeoutMs }: Patience, outer: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#outer = outer;
    this.#waitingMs = Math.min(timeoutMs, firstMs);
    this.#timer = setTimeout(() => this.#expire(), this.#waitingMs);
    outer?.addEventListener('abort', this.#onAbort, { once: true });
    if (outer?.aborted === true) this.#onAbort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The time-out error, after the model was silent for too long. */
  get expired(): ModelCallError | undefined {
    return this.#expired;
  }

  /** Restarts the timer, because the model has sent something. */
  feed(): void {
    if (this.#waitingMs === this.#timeoutMs) {
      this.#timer.refresh();
      return;
    }
    clearTimeout(this.#timer);
    this.#waitingMs = this.#timeoutMs;
    this.#timer = setTimeout(() => this.#expire(), this.#timeoutMs);
  }

  /** Stops the timer and aborts the call if it still runs. */
  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#onAbort);
    this.#controller.abort();
  }

  #expire(): void {
    const message = `The model was silent for ${Math.round(this.#waitingMs / 100) / 10} s.`;
    this.#expired = new ModelCallError('DEADLINE_EXCEEDED', message);
    this.#controller.abort(this.#expired);
  }
}
