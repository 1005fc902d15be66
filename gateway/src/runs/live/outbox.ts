import type { WebSocket } from 'ws';
import { cut, type Ending } from './close-reason.ts';

/** Beyond it partial events are dropped for a viewer that does not keep up. */
const stalledBytes = 256 * 1024;
/** How long a whole event waits for the viewer before it is given up. */
const patienceMs = 300_000;
/** How long a viewer may take to answer a close. */
const closingMs = 5_000;

/** Sends texts to a socket: whole ones wait for the viewer, partial ones do not. */
export class Outbox {
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Resolves when the socket has taken the text, or has gone. */
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
    // A socket that is not read from would not see the answer.
    this.#socket.resume();
    const hurry = setTimeout(() => this.#socket.terminate(), closingMs);
    this.#socket.once('close', () => clearTimeout(hurry));
  }
}
