import type { RequestContext } from '../../telemetry/index.ts';
import { Wake } from '../../wait/index.ts';
import { abortFailure, deadlineExceeded, type MeshError, ReadCredit } from '../call/index.ts';

/** A call, ready to be sent. */
export interface OutgoingCall {
  /** `package.Service/Method`. */
  readonly method: string;
  readonly request: Buffer;
  readonly context: Partial<RequestContext>;
  /** Headers of this call; most have none. */
  readonly headers: Record<string, string> | undefined;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** The service's name in errors, e.g. `sessions`. */
  readonly word: string;
}

export interface ExchangeCallOptions {
  readonly call: OutgoingCall;
  /** Tells the server how many bytes the caller has read. */
  readonly credit: (bytes: number) => void;
  /** Called when the caller leaves before the end. */
  readonly onLeft: () => void;
  /** Called once, at the end, whatever its cause. `failure` is undefined when the call succeeded. */
  readonly onEnd: (failure: MeshError | undefined) => void;
}

/** The caller's end of one call: its answers in order, then its end. */
export class ExchangeCall implements AsyncIterator<Buffer, undefined> {
  readonly #options: ExchangeCallOptions;
  readonly #waiting: Buffer[] = [];
  readonly #arrived = new Wake();
  readonly #credit = new ReadCredit();
  readonly #timer: NodeJS.Timeout | undefined;
  #ended = false;
  #failure: MeshError | undefined;

  constructor(options: ExchangeCallOptions) {
    this.#options = options;
    const { signal, timeoutMs } = options.call;
    // The server has its own timer, so it need not be told.
    if (timeoutMs !== undefined) this.#timer = setTimeout(() => this.end(deadlineExceeded()), timeoutMs);
    signal?.addEventListener('abort', this.#onAbort);
  }

  get word(): string {
    return this.#options.call.word;
  }

  answer(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#arrived.wake();
  }

  /** Ends the call. Answers that have arrived are still read. */
  end(failure?: MeshError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    clearTimeout(this.#timer);
    this.#options.call.signal?.removeEventListener('abort', this.#onAbort);
    this.#options.onEnd(failure);
    this.#arrived.wake();
  }

  /** One reader at a time. Rejects with MeshError. */
  async next(): Promise<IteratorResult<Buffer, undefined>> {
    while (this.#waiting.length === 0 && !this.#ended) await this.#arrived.wait();
    const value = this.#waiting.shift();
    if (value !== undefined) return { done: false, value: this.#taken(value) };
    if (this.#failure !== undefined) throw this.#failure;
    return { done: true, value: undefined };
  }

  #taken(bytes: Buffer): Buffer {
    const due = this.#credit.read(bytes.length);
    if (due > 0 && !this.#ended) this.#options.credit(due);
    return bytes;
  }

  readonly #onAbort = (): void => {
    this.#waiting.length = 0;
    this.#options.onLeft();
    this.end(abortFailure(this.#options.call.signal?.reason));
  };
}
