import type { Writable } from 'node:stream';
import { Wake } from '../../wait/index.ts';

/** Writes a gRPC stream at the pace of its reader. Every wait ends when `over` aborts. */
export class MessageWriter {
  readonly #stream: Writable;
  readonly #over: AbortSignal;
  #unsent = 0;
  readonly #changed = new Wake();

  constructor(stream: Writable, over: AbortSignal) {
    this.#stream = stream;
    this.#over = over;
    stream.on('drain', () => this.#changed.wake());
    over.addEventListener('abort', () => this.#changed.wake(), { once: true });
  }

  /** Whether the call has ended; messages written now are lost. */
  get over(): boolean {
    return this.#over.aborted;
  }

  /** Resolves when there is room for another message. */
  async write(bytes: Buffer): Promise<void> {
    this.#unsent += 1;
    const room = this.#stream.write(bytes, () => {
      this.#unsent -= 1;
      if (this.#unsent === 0) this.#changed.wake();
    });
    if (!room) await this.#until(() => !this.#stream.writableNeedDrain);
  }

  /** Resolves when every message has been sent: a status sent earlier would overtake them. */
  flushed(): Promise<void> {
    return this.#until(() => this.#unsent === 0);
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition() && !this.#over.aborted) await this.#changed.wait();
  }
}
