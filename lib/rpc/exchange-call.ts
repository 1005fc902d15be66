import type { RequestContext } from '../telemetry/index.ts';
import { abortFailure, deadlineExceeded } from './failures.ts';
import type { MeshError } from './mesh-error.ts';

/** Unread bytes of a call's answers at which its server waits. */
export const WINDOW_BYTES = 1024 * 1024;

/** A call, ready to be sent. */
export interface OutgoingCall {
  /** `package.Service/Method`. */
  readonly method: string;
  readonly request: Buffer;
  readonly context: Partial<RequestContext>;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** The word of the service, for what is said when it is down. */
  readonly word: string;
}

export interface ExchangeCallOptions {
  readonly call: OutgoingCall;
  /** Tells the server that the caller has read so many bytes. */
  readonly credit: (bytes: number) => void;
  /** Called when the caller leaves before the end. */
  readonly onLeft: () => void;
  /** Called at the end, however it came. */
  readonly onEnd: () => void;
}

/** The caller's end of one call: its answers in order, then its end. */
export class ExchangeCall implements AsyncIterator<Buffer, undefined> {
  readonly #options: ExchangeCallOptions;
  readonly #waiting: Buffer[] = [];
  readonly #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;
  #ended = false;
  #failure: MeshError | undefined;
  #read = 0;

  constructor(options: ExchangeCallOptions) {
    this.#options = options;
    const { signal, timeoutMs } = options.call;
    // The server has a timer of its own, so it need not be told.
    if (timeoutMs !== undefined) this.#timer = setTimeout(() => this.end(deadlineExceeded()), timeoutMs);
    signal?.addEventListener('abort', this.#onAbort);
  }

  get word(): string {
    return this.#options.call.word;
  }

  answer(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#wake?.();
  }

  /** What was answered before is still read. */
  end(failure?: MeshError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    clearTimeout(this.#timer);
    this.#options.call.signal?.removeEventListener('abort', this.#onAbort);
    this.#options.onEnd();
    this.#wake?.();
  }

  /** One reader at a time. Rejects with MeshError. */
  async next(): Promise<IteratorResult<Buffer, undefined>> {
    while (this.#waiting.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const value = this.#waiting.shift();
    if (value !== undefined) return { done: false, value: this.#taken(value) };
    if (this.#failure !== undefined) throw this.#failure;
    return { done: true, value: undefined };
  }

  #taken(bytes: Buffer): Buffer {
    this.#read += bytes.length;
    if (this.#read >= WINDOW_BYTES / 2 && !this.#ended) {
      this.#options.credit(this.#read);
      this.#read = 0;
    }
    return bytes;
  }

  readonly #onAbort = (): void => {
    this.#waiting.length = 0;
    this.#options.onLeft();
    this.end(abortFailure(this.#options.call.signal?.reason));
  };
}
