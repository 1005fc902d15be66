import type { Readable } from 'node:stream';

export interface MessageReaderOptions<T> {
  parse: (bytes: Buffer) => T;
  /** Maps the stream's own error. */
  toFailure: (error: Error) => Error;
}

/** Reads a gRPC stream one message at a time. What was received before an error is answered before the error. */
export class MessageReader<T> implements AsyncIterableIterator<T, undefined> {
  readonly #stream: Readable;
  readonly #parse: (bytes: Buffer) => T;
  #wake: () => void = () => undefined;
  #aborted: Error | undefined;
  #failure: Error | undefined;
  #ended = false;

  constructor(stream: Readable, { parse, toFailure }: MessageReaderOptions<T>) {
    this.#stream = stream;
    this.#parse = parse;
    stream.on('readable', () => this.#wake());
    stream.on('end', () => {
      this.#ended = true;
      this.#wake();
    });
    stream.on('error', (error: Error) => {
      this.#failure ??= toFailure(error);
      this.#wake();
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Fails at once, whatever has been received. */
  abort(failure: Error): void {
    this.#aborted ??= failure;
    this.#wake();
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    while (true) {
      if (this.#aborted) throw this.#aborted;
      const bytes = this.#stream.read() as Buffer | null;
      if (bytes !== null) return { done: false, value: this.#parse(bytes) };
      if (this.#failure) throw this.#failure;
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
