import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { AnswerRefused } from '../answers/index.ts';

/** Bytes of an answer that may come beside those of its body: its head, and what comes before it. */
const mostAround = 256 * 1024;
/** More of them for each HTTP chunk. */
const aroundChunk = 64;

/** Bounds the bytes of one answer that no reader of its body sees, e.g. endless extensions of a chunk, where undici has no bound. HTTP/2 has frames, and is not counted. */
export class WireBound {
  #left = mostAround;

  /** Counts bytes that came from the socket. False when there are too many. */
  read(bytes: number): boolean {
    this.#left -= bytes;
    return this.#left >= 0;
  }

  /** Part of the body has come. */
  arrive(bytes: number): void {
    this.#left += bytes + aroundChunk;
  }
}

const bySocket = new WeakMap<Socket, WireBound>();
let beginning: WireBound | undefined;

/** A bound for the request whose headers are written next, before anything else happens. */
export function boundNextAnswer(): WireBound {
  const bound = new WireBound();
  beginning = bound;
  queueMicrotask(() => (beginning = undefined));
  return bound;
}

// undici tells in this way, and in no other, which socket a request has.
subscribe('undici:client:sendHeaders', (message) => {
  if (beginning !== undefined) bySocket.set((message as { socket: Socket }).socket, beginning);
});

/** Counts bytes that came from a socket, and destroys it when they are too many for its answer. */
export function countRead(socket: Socket, bytes: number): void {
  if (bySocket.get(socket)?.read(bytes) !== false) return;
  socket.destroy(new AnswerRefused('too_large', 'The server sends too many bytes that belong to no answer.'));
}
