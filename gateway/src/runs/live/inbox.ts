import { Wake } from '@agentmesh/lib/wait';
import type { WebSocket } from 'ws';

export interface InboxLimits {
  readonly messages: number;
  readonly bytes: number;
}

/** One received frame. */
export interface Received {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/** Messages of a socket, in order. Above the limits the socket is paused, so the sender has to wait. */
export class Inbox {
  readonly #socket: WebSocket;
  readonly #limits: InboxLimits;
  readonly #waiting: Received[] = [];
  #bytes = 0;
  #isClosed = false;
  readonly #wake = new Wake();

  constructor(socket: WebSocket, limits: InboxLimits) {
    this.#socket = socket;
    this.#limits = limits;
    socket.on('message', (data: Buffer, isBinary: boolean) => this.#add({ data, isBinary }));
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Next message, when there is one; undefined after `close`. */
  async next(): Promise<Received | undefined> {
    while (this.#waiting.length === 0 && !this.#isClosed) await this.#wake.wait();
    if (this.#isClosed) return undefined;
    const message = this.#waiting.shift();
    this.#bytes -= message?.data.length ?? 0;
    if (this.#socket.isPaused && !this.#isFull()) this.#socket.resume();
    return message;
  }

  /** Drops the waiting messages and ends `next`. */
  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#wake.wake();
  }

  #add(message: Received): void {
    if (this.#isClosed) return;
    this.#waiting.push(message);
    this.#bytes += message.data.length;
    if (this.#isFull()) this.#socket.pause();
    this.#wake.wake();
  }

  #isFull(): boolean {
    return this.#waiting.length >= this.#limits.messages || this.#bytes >= this.#limits.bytes;
  }
}
