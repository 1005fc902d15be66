import type { Readable } from 'node:stream';
import { Wake } from '@agentmesh/lib/wait';
import type { WebSocket } from 'ws';
import type { HeldBytes } from '../../edge/bodies/body-budget.ts';
import type { Pace } from '../../edge/pace.ts';

/** Bytes of a ping or a pong of a client besides its payload. */
const controlFrame = 6;

export interface InboxLimits {
  readonly messages: number;
  readonly bytes: number;
  /** Bytes of the connection as they arrive. */
  readonly stream: Readable;
  /** How fast they are read. */
  readonly pace: Pace;
  /** Room for so many bytes that wait in memory. `giveUp` is called when it is lost. */
  readonly hold: (bytes: number, giveUp: () => void) => HeldBytes;
  /** Called when there is no room for the messages of this connection. */
  readonly onFull: () => void;
}

/** One received frame. */
export interface Received {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/**
 * Messages of a socket, in order. Above the limits the socket is paused, so the sender has to wait. Messages
 * that wait, and one that has arrived in part, take room from the budget of all bodies.
 */
export class Inbox {
  readonly #socket: WebSocket;
  readonly #limits: InboxLimits;
  readonly #waiting: Received[] = [];
  #bytes = 0;
  /** Bytes since the last whole message. What came of the next one in the chunk that completed it, one chunk at most, is not counted. */
  #arriving = 0;
  #held: HeldBytes | undefined;
  #rest: NodeJS.Timeout | undefined;
  #isClosed = false;
  readonly #wake = new Wake();

  constructor(socket: WebSocket, limits: InboxLimits) {
    this.#socket = socket;
    this.#limits = limits;
    // Before the socket reads them: a message that they complete is counted as one then.
    limits.stream.prependListener('data', (chunk: Buffer) => this.#arrive(chunk.length));
    const answered = (payload: Buffer): void => this.#forget(payload.length + controlFrame);
    socket.on('ping', answered).on('pong', answered);
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
    this.#hold();
    this.#resume();
    return message;
  }

  /** Drops the waiting messages and ends `next`. */
  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#held?.release();
    clearTimeout(this.#rest);
    this.#rest = undefined;
    this.#wake.wake();
  }

  #arrive(bytes: number): void {
    if (this.#isClosed) return;
    this.#arriving += bytes;
    this.#hold();
    const waitMs = this.#limits.pace.take(bytes);
    if (waitMs === 0 || this.#isClosed) return;
    this.#socket.pause();
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.#rest = undefined;
      this.#resume();
    }, waitMs);
  }

  /** Pings and pongs are no part of a message, and do not wait. */
  #forget(bytes: number): void {
    if (this.#isClosed) return;
    this.#arriving = Math.max(0, this.#arriving - bytes);
    this.#hold();
  }

  #add(message: Received): void {
    if (this.#isClosed) return;
    this.#waiting.push(message);
    this.#bytes += message.data.length;
    this.#arriving = 0;
    this.#hold();
    if (this.#isFull()) this.#socket.pause();
    this.#wake.wake();
  }

  #resume(): void {
    if (this.#socket.isPaused && this.#rest === undefined && !this.#isFull()) this.#socket.resume();
  }

  /** Takes room for what is in memory now. */
  #hold(): void {
    this.#held?.release();
    this.#held = undefined;
    const bytes = this.#bytes + this.#arriving;
    if (bytes === 0) return;
    this.#held = this.#limits.hold(bytes, this.#limits.onFull);
    try {
      this.#held.take(bytes);
    } catch {
      this.#limits.onFull();
    }
  }

  #isFull(): boolean {
    return this.#waiting.length >= this.#limits.messages || this.#bytes >= this.#limits.bytes;
  }
}
