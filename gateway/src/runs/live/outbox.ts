import type { WebSocket } from 'ws';
import { cut, type Ending } from './close-reason.ts';

/** Buffered bytes above which partial events are dropped. */
const stalledBytes = 256 * 1024;
/** Longest wait for a stalled viewer before the socket is closed. */
const patienceMs = 300_000;
/** Time limit for the viewer's answer to a close. */
const closingMs = 5_000;

/** Sends texts to a socket. Whole events wait for the viewer, partial ones are dropped instead. */
export class Outbox {
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Resolves when the socket has taken the text or is closed. */
  async send(text: Uint8Array, isPartial: boolean): Promise<void> {
    if (!this.isOpen || (isPartial && this.#socket.bufferedAmount > stalledBytes)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const patience = setTimeout(() => this.#socket.terminate(), patienceMs);
    this.#socket.send(text, { binary: false }, () => resolve());
    await promise;
    clearTimeout(patience);
  }

  close({ code, reason }: Ending): void {
    if (!this.isOpen) return;
    this.#socket.close(code, cut(reason));
    // A paused socket would not receive the answer to the close.
    this.#socket.resume();
    const hurry = setTimeout(() => this.#socket.terminate(), closingMs);
    this.#socket.once('close', () => clearTimeout(hurry));
  }
}
