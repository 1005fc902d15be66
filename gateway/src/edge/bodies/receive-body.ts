import type { Readable } from 'node:stream';
import { createMemoryRelease } from '@agentmesh/lib/heap';
import type { FastifyRequest } from 'fastify';
import { BadRequest, bodyTooLarge } from '../errors/request-error.ts';
import type { JsonSize } from '../json/json-bounds.ts';
import type { JsonCounter } from '../json/json-counter.ts';
import { excessive } from '../json/json-text.ts';
import { ArrivingBytes, freeBuffer } from './arriving-bytes.ts';
import type { BodyBudget, HeldBytes } from './body-budget.ts';
import { openBytes } from './body-limits.ts';
import { bytesOfValue, type Pace } from '../pace.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** True after the hook that authenticates the route has accepted the request before its body was read. */
    isAccepted: boolean;
    /** Gives back the room that the body holds; without it the room is given back after the answer. */
    releaseBody: (() => void) | undefined;
  }
}

/** Budgets for bodies of up to 64 KiB, and for larger ones. A crowd of large bodies does not keep small ones out. */
export interface BodyBudgets {
  readonly small: BodyBudget;
  readonly large: BodyBudget;
  /** How fast the large bodies of an account are read. */
  readonly paceOf: (accountId: string) => Pace;
}

/**
 * Called once, with the whole body or with an error. The memory of a body above 64 KiB is given back when it returns. `size` is that of a large JSON text.
 */
export type Received = (error: Error | null, body?: Buffer, size?: JsonSize) => void;

export interface Receiving {
  readonly payload: Readable;
  readonly budgets: BodyBudgets;
  /** Counts a large body as it arrives; undefined for one that is not JSON. */
  readonly counter: JsonCounter | undefined;
  readonly done: Received;
}

const releaseMemory = createMemoryRelease();

/** Checks the credentials of a request now, unless its route has none. `done` is called once. */
export function acceptRequest(request: FastifyRequest, done: (error?: Error) => void): void {
  const { authenticate } = request.routeOptions.config;
  if (authenticate === undefined || request.isAccepted) return done();
  authenticate(request, undefined, (error) => {
    request.isAccepted = error === undefined;
    done(error);
  });
}

/**
 * Reads the body of a request whole. More than 64 KiB is read only after the caller was authenticated. Fails with 413 above the
 * limit of the route, with 503 if there is no room in the budget, with 422 as soon as a large JSON text passes a limit, and with the errors
 * of authentication. Bytes that are not read are left to the answer.
 */
export function receiveBody(request: FastifyRequest, receiving: Receiving): void {
  new BodyReceiver(request, receiving).start();
}

/** Forgets the body of a request whose handler has passed it on, and gives back its room. */
export function forgetBody(request: { body: unknown; releaseBody: FastifyRequest['releaseBody'] }): void {
  request.releaseBody?.();
  request.releaseBody = undefined;
  request.body = undefined;
}

class BodyReceiver {
  readonly #request: FastifyRequest;
  readonly #payload: Readable;
  readonly #budgets: BodyBudgets;
  readonly #counter: JsonCounter | undefined;
  readonly #done: Received;
  readonly #maxBytes: number;
  /** `Content-Length`; undefined for a chunked body. */
  readonly #declared: number | undefined;
  #held: HeldBytes;
  #isLarge = false;
  #isSettled = false;
  readonly #bytes: ArrivingBytes;

  constructor(request: FastifyRequest, { payload, budgets, counter, done }: Receiving) {
    this.#request = request;
    this.#payload = payload;
    this.#budgets = budgets;
    this.#counter = counter;
    this.#done = done;
    this.#maxBytes = request.routeOptions.bodyLimit;
    const { 'content-length': declared } = request.headers;
    this.#declared = declared === undefined ? undefined : Number(declared);
    this.#bytes = new ArrivingBytes(this.#declared);
    this.#held = budgets.small.hold(this.#fail);
    request.releaseBody = () => this.#held.release();
  }

  start(): void {
    const declared = this.#declared ?? 0;
    if (declared > this.#maxBytes) this.#fail(bodyTooLarge());
    else if (declared > openBytes) this.#accept(this.#listen);
    else this.#listen();
  }

  readonly #listen = (): void => {
    this.#payload.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onBreak).on('close', this.#onBreak);
  };

  readonly #onData = (chunk: Buffer): void => {
    this.#request.bodyTimer?.progress();
    try {
      this.#add(chunk);
      if (this.#isLarge) return this.#proceed(chunk);
    } catch (error) {
      return this.#fail(error as Error);
    }
    if (this.#bytes.length <= openBytes) return;
    this.#payload.pause();
    this.#accept(() => this.#payload.resume());
  };

  /** Goes on with a large body at the pace of its account. */
  #proceed(chunk: Buffer): void {
    const before = this.#counter?.values ?? 0;
    this.#count(chunk);
    const values = (this.#counter?.values ?? 0) - before;
    const waitMs = this.#pace().take(chunk.length + values * bytesOfValue);
    if (waitMs === 0) return;
    this.#payload.pause();
    setTimeout(() => {
      if (!this.#isSettled) this.#payload.resume();
    }, waitMs);
  }

  #count(bytes: Buffer): void {
    const excess = this.#counter?.add(bytes);
    if (excess !== undefined) throw excessive(this.#bytes.take(), excess);
  }

  #pace(): Pace {
    return this.#budgets.paceOf(this.#request.identity.accountId);
  }

  #add(chunk: Buffer): void {
    if (this.#bytes.length + chunk.length > this.#maxBytes) throw bodyTooLarge();
    this.#held.take(chunk.length);
    this.#bytes.add(chunk);
    releaseMemory(chunk.length);
  }

  /** Goes on with a large body when the caller is accepted. */
  #accept(next: () => void): void {
    acceptRequest(this.#request, (error) => {
      if (this.#isSettled) return;
      if (error !== undefined) return this.#fail(error);
      if (this.#payload.destroyed) return this.#onBreak();
      this.#isLarge = true;
      this.#held.release();
      this.#held = this.#budgets.large.hold(this.#fail);
      try {
        this.#held.take(this.#bytes.length);
        for (const piece of this.#bytes.pieces()) this.#count(piece);
      } catch (refusal) {
        return this.#fail(refusal as Error);
      }
      next();
    });
  }

  readonly #onEnd = (): void => {
    this.#isSettled = true;
    this.#held.complete();
    this.#leave();
    const body = this.#bytes.take();
    if (!this.#isLarge) return this.#done(null, body);
    this.#done(null, body, this.#counter && { values: this.#counter.values, excess: undefined });
    // It has been parsed, and nobody keeps its bytes.
    freeBuffer(body);
  };

  readonly #onBreak = (): void => this.#fail(new BadRequest('The request ended early.'));

  readonly #fail = (error: Error): void => {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#held.release();
    this.#leave();
    this.#payload.pause();
    this.#bytes.free();
    this.#done(error);
  };

  #leave(): void {
    this.#payload
      .off('data', this.#onData)
      .off('end', this.#onEnd)
      .off('error', this.#onBreak)
      .off('close', this.#onBreak);
  }
}
