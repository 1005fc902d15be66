import type { Writable } from 'node:stream';

/** Header of a stream, in both directions: its sender reads several messages in one. */
export const TAKES_SEVERAL = 'exchange-takes-several';

/** Most messages that go as one: all begin their work in one round of the event loop of the other end. */
const mostTogether = 64;
/** Most bytes of these, and of a message that goes with others: those behind a larger one would wait for it. */
const [mostBytes, largestBytes] = [256 * 1024, 64 * 1024];
/** Longest time in milliseconds that the last write took while messages wait for the end of the round: they leave in the next one. */
const shortRoundMs = 2;

/**
 * Sends the messages of one end of an exchange in their order. grpc-js sends a message when the one before it has been written, which happens once or twice in a round of the event
 * loop: twenty messages of a busy process took ten rounds. So the messages of one round go as one, and so do those that come while it is on its way. A message leaves one
 * round later for it, so while rounds are long it is only the messages of one piece of work.
 */
export class MessageSender {
  /** The other end reads several messages in one. */
  takesSeveral = false;
  readonly #stream: Writable;
  readonly #join: (messages: Buffer[]) => Buffer;
  #waiting: Buffer[] = [];
  /** Messages that were given to the stream and are not written. */
  #unwritten = 0;
  /** Monotonic time in milliseconds at which the message that goes next was given. */
  #dueAt = 0;
  /** The last write took long: the rounds of the event loop are long, or the other end is slow. */
  #isSlow = false;

  /** `join` makes one message of several. */
  constructor(stream: Writable, join: (messages: Buffer[]) => Buffer) {
    this.#stream = stream;
    this.#join = join;
  }

  send(message: Buffer): void {
    if (!this.takesSeveral) return this.#write(message);
    this.#waiting.push(message);
    if (this.#unwritten > 0 || this.#waiting.length > 1) return;
    this.#dueAt = performance.now();
    if (this.#isSlow) process.nextTick(this.#flush);
    else setImmediate(this.#flush);
  }

  /** Ends the stream behind all messages. */
  end(): void {
    while (this.#waiting.length > 0) this.#writeNext();
    this.#stream.end();
  }

  #write(message: Buffer): void {
    this.#unwritten += 1;
    this.#stream.write(message, this.#onWritten);
  }

  #writeNext(): void {
    let [count, bytes] = [0, 0];
    for (const { length } of this.#waiting) {
      bytes += length;
      if (length > largestBytes || bytes > mostBytes || count === mostTogether) break;
      count += 1;
    }
    const next = this.#waiting.splice(0, Math.max(count, 1));
    const [first] = next;
    if (first !== undefined) this.#write(next.length === 1 ? first : this.#join(next));
  }

  readonly #flush = (): void => {
    // Messages for a stream that is over are lost, as those that it had taken.
    if (this.#stream.writableEnded) this.#waiting = [];
    else if (this.#unwritten === 0 && this.#waiting.length > 0) this.#writeNext();
  };

  readonly #onWritten = (error?: Error | null): void => {
    this.#unwritten -= 1;
    const now = performance.now();
    this.#isSlow = now - this.#dueAt > shortRoundMs;
    this.#dueAt = now;
    if (error) this.#waiting = [];
    this.#flush();
  };
}
