import type { DescMessage, Message, MessageInitShape } from '@bufbuild/protobuf';
import type { MeshError } from '../call/index.ts';
import type { ServerCall } from './server-call.ts';

type Answer = MessageInitShape<DescMessage>;
type Result = IteratorResult<Message, undefined>;

export interface ServerStreamOptions {
  call: ServerCall;
  /** Calls the handler. */
  open: () => AsyncIterable<Answer>;
  toMessage: (answer: Answer) => Message;
  onEnd: () => void;
  /** Ends the call as failed and returns the error for the caller. */
  onError: (error: unknown) => MeshError;
  /** The handler's generator failed while it was being closed. */
  onLateError: (error: unknown) => void;
}

const ended: Result = { done: true, value: undefined };

/**
 * The answers of a streaming handler, pulled one by one, each inside the request's context. When the call is aborted the
 * pending pull rejects and the generator's `return` is called, so that its `finally` runs.
 */
export class ServerStream implements AsyncIterator<Message, undefined> {
  readonly #options: ServerStreamOptions;
  #settled: () => void = () => undefined;
  #source: AsyncIterator<Answer> | undefined;
  #first: Promise<Result> | undefined;
  #failure: MeshError | undefined;
  #done = false;
  /** The generator has ended by itself: nothing is left to close. */
  #hasEnded = false;

  constructor(options: ServerStreamOptions) {
    this.#options = options;
  }

  /** Starts the handler, whether or not the caller ever reads. `settled` is called when the handler's generator has ended. */
  start(settled: () => void): void {
    this.#settled = settled;
    this.#first = this.#pull();
    this.#first.catch(() => undefined);
    const { call } = this.#options;
    if (call.ended === undefined) call.onceEnded(() => this.#close());
    else this.#close();
  }

  next(): Promise<Result> {
    if (this.#failure) return Promise.reject(this.#failure);
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#pull();
  }

  #pull(): Promise<Result> {
    if (this.#done) return Promise.resolve(ended);
    return new Promise((resolve, reject) => {
      const { call, toMessage } = this.#options;
      const fail = (error: unknown): void => reject(this.#fail(error));
      call.onAbort(fail);
      const take = (result: IteratorResult<Answer>): void => {
        if (this.#done) return;
        if (!result.done) return resolve({ done: false, value: toMessage(result.value) });
        this.#end();
        resolve(ended);
      };
      try {
        call.run(() => this.#nextOfSource()).then(take, fail);
      } catch (error) {
        fail(error);
      }
    });
  }

  #nextOfSource(): Promise<IteratorResult<Answer>> {
    this.#source ??= this.#options.open()[Symbol.asyncIterator]();
    return this.#source.next();
  }

  #end(): void {
    this.#done = true;
    this.#hasEnded = true;
    this.#options.onEnd();
  }

  #fail(error: unknown): MeshError {
    this.#done = true;
    this.#failure ??= this.#options.onError(error);
    return this.#failure;
  }

  /** Runs at the end of every call. */
  #close(): void {
    if (this.#hasEnded) return this.#settled();
    if (!this.#done) this.#fail(this.#options.call.failure);
    const source = this.#source;
    const returned = source?.return ? this.#options.call.run(() => source.return?.()) : undefined;
    Promise.resolve(returned).catch(this.#options.onLateError).finally(this.#settled);
  }
}
