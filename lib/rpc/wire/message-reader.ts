import type { Readable } from 'node:stream';
import { Wake } from '../../wait/index.ts';

export interface MessageReaderOptions<T> {
  parse: (bytes: Buffer) => T;
  /** Maps the stream's own error. */
  toFailure: (error: Error) => Error;
}

/** Reads a gRPC stream one message at a time. Messages received before an error are read before it is thrown. */
export class MessageReader<T> implements AsyncIterableIterator<T, undefined> {
  readonly #stream: Readable;
  readonly #parse: (bytes: Buffer) => T;
  readonly #changed = new Wake();
  #aborted: Error | undefined;
  #failure: Error | undefined;
  #ended = false;

  constructor(stream: Readable, { parse, toFailure }: MessageReaderOptions<T>) {
    this.#stream = stream;
    this.#parse = parse;
    stream.on('readable', () => this.#changed.wake());
    stream.on('end', () => {
      this.#ended = true;
      this.#changed.wake();
    });
    stream.on('error', (error: Error) => {
      this.#failure ??= toFailure(error);
      this.#changed.wake();
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Fails the next read, also when messages wait. */
  abort(failure: Error): void {
    this.#aborted ??= failure;
    this.#changed.wake();
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    while (true) {
      if (this.#aborted) throw this.#aborted;
      const bytes = this.#stream.read() as Buffer | null;
      if (bytes !== null) return { done: false, value: this.#parse(bytes) };
      if (this.#failure) throw this.#failure;
      if (this.#ended) return { done: true, value: undefined };
      await this.#changed.wait();
    }
  }
}
