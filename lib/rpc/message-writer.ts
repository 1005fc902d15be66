import type { Writable } from 'node:stream';

/** Writes a gRPC stream at the pace of its reader. Nothing waits any more once `over` has aborted. */
export class MessageWriter {
  readonly #stream: Writable;
  readonly #over: AbortSignal;
  #unsent = 0;
  #wake: () => void = () => undefined;

  constructor(stream: Writable, over: AbortSignal) {
    this.#stream = stream;
    this.#over = over;
    stream.on('drain', () => this.#wake());
    over.addEventListener('abort', () => this.#wake(), { once: true });
  }

  /** Whether the call has ended: what is written now is lost. */
  get over(): boolean {
    return this.#over.aborted;
  }

  /** Resolves when there is room for another message. */
  async write(bytes: Buffer): Promise<void> {
    this.#unsent += 1;
    const room = this.#stream.write(bytes, () => {
      this.#unsent -= 1;
      if (this.#unsent === 0) this.#wake();
    });
    if (!room) await this.#until(() => !this.#stream.writableNeedDrain);
  }

  /** Resolves when every message has been sent: a status sent earlier would overtake them. */
  flushed(): Promise<void> {
    return this.#until(() => this.#unsent === 0);
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition() && !this.#over.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
