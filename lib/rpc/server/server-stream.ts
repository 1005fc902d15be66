import type { Answer, MeshError } from '../call/index.ts';
import type { ServerCall } from './server-call.ts';

export interface ServerStreamOptions {
  call: ServerCall;
  /** Calls the handler. */
  open: () => AsyncIterable<Answer>;
  onEnd: () => void;
  /** Ends the call as failed and returns the error for the caller. */
  onError: (error: unknown) => MeshError;
  /** The handler's generator failed while it was being closed. */
  onLateError: (error: unknown) => void;
}

/**
 * The answers of a streaming handler, pulled one by one, each inside the request's context. When the call is aborted the
 * pending pull rejects and the generator's `return` is called, so that its `finally` runs.
 */
export class ServerStream implements AsyncIterator<Answer, undefined> {
  /** Resolves when the handler's generator has ended. */
  readonly settled: Promise<void>;
  readonly #options: ServerStreamOptions;
  #settle: () => void = () => undefined;
  #source: AsyncIterator<Answer> | undefined;
  #first: Promise<IteratorResult<Answer, undefined>> | undefined;
  #failure: MeshError | undefined;
  #done = false;

  constructor(options: ServerStreamOptions) {
    this.#options = options;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Starts the handler, whether or not the caller ever reads. */
  start(): void {
    this.#first = this.#pull();
    this.#first.catch(() => undefined);
    this.#options.call.onEnd(() => this.#close());
  }

  next(): Promise<IteratorResult<Answer, undefined>> {
    if (this.#failure) return Promise.reject(this.#failure);
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#pull();
  }

  async #pull(): Promise<IteratorResult<Answer, undefined>> {
    if (this.#done) return { done: true, value: undefined };
    const { call, open, onEnd } = this.#options;
    try {
      this.#source ??= call.run(() => open()[Symbol.asyncIterator]());
      const source = this.#source;
      const result = await call.race(call.run(() => source.next()));
      if (!result.done) return { done: false, value: result.value };
      this.#done = true;
      onEnd();
      return { done: true, value: undefined };
    } catch (error) {
      throw this.#fail(error);
    }
  }

  #fail(error: unknown): MeshError {
    this.#done = true;
    this.#failure ??= this.#options.onError(error);
    return this.#failure;
  }

  /** Runs at the end of every call. It has no effect on a generator that has ended. */
  #close(): void {
    if (!this.#done) this.#fail(this.#options.call.failure);
    const source = this.#source;
    const returned = source?.return ? this.#options.call.run(() => source.return?.()) : undefined;
    Promise.resolve(returned).catch(this.#options.onLateError).finally(this.#settle);
  }
}
