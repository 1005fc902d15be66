import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

/** Bytes of an answer, as they are on the wire, that wait for a reader. Fewer than one read of the socket brings would let undici keep ever more of them. */
const mostUnread = 8 * 1024;
/** Least bytes on the wire around those of a chunk. */
const frameBytes = 5;
/** Chunks that are kept apart; a view of a byte takes 125. */
const mostApart = 64;

/**
 * The body of an answer of undici. What has come when it is asked for is one chunk, however many chunks the server made of it: each costs its readers as much as a large
 * one, and undici reads on and copies what is left of its socket for each time that it goes on.
 */
export class AnswerBody extends Readable {
  readonly #controller: Dispatcher.DispatchController;
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #isWanted = false;
  #isOver = false;

  constructor(controller: Dispatcher.DispatchController) {
    super({ highWaterMark: 0 });
    this.#controller = controller;
    // A failure may come before there is a reader, who is told of it then.
    this.on('error', () => undefined);
  }

  /** Takes bytes from the server. */
  arrive(chunk: Buffer): void {
    this.#unread.push(chunk);
    if (this.#unread.length > mostApart) this.#unread = [Buffer.concat(this.#unread)];
    this.#unreadBytes += chunk.length + frameBytes;
    if (this.#unreadBytes >= mostUnread) this.#controller.pause();
    if (!this.#isWanted) return;
    this.#isWanted = false;
    // The rest of what one read of the socket has brought comes before this.
    queueMicrotask(() => this.#handOn());
  }

  /** The server has sent all. */
  finish(): void {
    this.#isOver = true;
    if (this.#isWanted) this.push(null);
  }

  /** The connection has broken, or the answer was given up. */
  fail(error: Error): void {
    this.#isOver = true;
    this.destroy(error);
  }

  override _read(): void {
    if (this.#unreadBytes > 0) this.#handOn();
    else if (this.#isOver) this.push(null);
    else {
      this.#isWanted = true;
      if (this.#controller.paused) this.#controller.resume();
    }
  }

  #handOn(): void {
    if (this.destroyed) return;
    const [first, second] = this.#unread;
    const joined = first !== undefined && second === undefined ? first : Buffer.concat(this.#unread);
    this.#unread = [];
    this.#unreadBytes = 0;
    this.push(joined);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#unread = [];
    if (!this.#isOver) this.#controller.abort(error ?? new Error('The answer was left.'));
    callback(error);
  }
}
