import { ModelCallError } from './model-call-error.ts';

/** Aborts a call whose model is silent for too long, and when the caller aborts. */
export class Watchdog {
  readonly #timeoutMs: number;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = (): void => this.#controller.abort(this.#outer?.reason);
  #expired: ModelCallError | undefined;

  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#outer = outer;
    this.#timer = setTimeout(() => this.#expire(), timeoutMs);
    outer?.addEventListener('abort', this.#onAbort, { once: true });
    if (outer?.aborted === true) this.#onAbort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The error of the silence, once it has been too long. */
  get expired(): ModelCallError | undefined {
    return this.#expired;
  }

  /** The model has shown life: the time begins anew. */
  feed(): void {
    this.#timer.refresh();
  }

  /** Stops the clock and whatever of the call still runs. */
  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#onAbort);
    this.#controller.abort();
  }

  #expire(): void {
    const message = `The model was silent for ${this.#timeoutMs / 1000} s.`;
    this.#expired = new ModelCallError('DEADLINE_EXCEEDED', message);
    this.#controller.abort(this.#expired);
  }
}
