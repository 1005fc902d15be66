import type { IncomingMessage } from 'node:http';
import { createMemoryRelease } from '@agentmesh/lib/heap';
import { Wake } from '@agentmesh/lib/wait';
import { BadRequest, HttpError } from '../errors/request-error.ts';

/** Longest time without data from a client. */
const patienceMs = 30_000;

export interface UploadLimits {
  /** Longest time without data; 30 s when left out. */
  readonly idleMs?: number;
  /** Longest time in which the whole body arrives, from the creation of the reader on; without limit when left out. */
  readonly totalMs?: number;
}

/**
 * Body of a request, chunk by chunk, at the pace of its reader. A reader that leaves early neither ends the connection nor keeps
 * listeners on the request; the answer decides what happens to the rest. Throws BadRequest when the client disconnects, and
 * HttpError 408 when a limit is exceeded.
 */
export class UploadReader implements AsyncIterableIterator<Buffer, undefined> {
  readonly #request: IncomingMessage;
  readonly #idleMs: number;
  readonly #deadline: number;
  readonly #chunks: Buffer[] = [];
  readonly #release = createMemoryRelease();
  #ended = false;
  #failure: Error | undefined;
  readonly #wake = new Wake();

  constructor(request: IncomingMessage, { idleMs = patienceMs, totalMs = Infinity }: UploadLimits = {}) {
    this.#request = request;
    this.#idleMs = idleMs;
    this.#deadline = performance.now() + totalMs;
    request.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose).on('error', this.#onClose);
    if (request.destroyed) this.#onClose();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    while (this.#chunks.length === 0 && !this.#ended) {
      if (this.#failure !== undefined) throw this.#failure;
      this.#request.resume();
      const timeoutMs = Math.min(this.#idleMs, this.#deadline - performance.now());
      if (timeoutMs <= 0 || !(await this.#wake.wait({ timeoutMs }))) throw requestTooSlow();
    }
    const value = this.#chunks.shift();
    return value === undefined ? { done: true, value } : { done: false, value };
  }

  /** Makes the reader throw the error in place of more chunks. */
  readonly giveUp = (error: Error): void => {
    this.#failure ??= error;
    this.#wake.wake();
  };

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.#ended = true;
    this.#chunks.length = 0;
    this.#request.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
    this.#request.pause();
    this.#wake.wake();
    return { done: true, value: undefined };
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#chunks.push(chunk);
    this.#release(chunk.length);
    this.#request.pause();
    this.#wake.wake();
  };

  readonly #onEnd = (): void => {
    this.#ended = true;
    this.#wake.wake();
  };

  /** Also called behind the end of a whole body. An error records where it was made, which takes longer than reading a small body. */
  readonly #onClose = (): void => {
    if (!this.#ended) this.giveUp(new BadRequest('The request ended early.'));
  };
}

function requestTooSlow(): HttpError {
  return new HttpError(408, 'The request took too long to arrive.', { connection: 'close' });
}
