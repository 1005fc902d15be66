import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

export interface EventStreamOptions {
  /** Headers beside those of every such stream. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Interval of heartbeats: a comment is sent after this time without an event. */
  readonly heartbeatMs: number;
  /** Called once if the viewer disconnects before the end. */
  readonly onGone: () => void;
  /** Called when the viewer has taken what `push` was told to wait for. */
  readonly onDrain?: () => void;
}

/** Longest wait for a stalled viewer before a partial event is dropped. */
const partialPatienceMs = 1_000;
/** Longest wait for a stalled viewer before its connection is closed. */
const wholePatienceMs = 300_000;

/** One shared object, because an abort without a reason creates an exception with a stack trace each time. */
const viewerGone = new Error('The viewer has gone.');

/** No proxy may keep a piece back. */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

const prefix = Buffer.from('data: ');
const suffix = Buffer.from('\n\n');
const heartbeat = Buffer.from(': ping\n\n');

/**
 * Server-sent events for one viewer, each event one write of `data: <json>
 *
 * `. The socket's buffer bounds memory: whole events wait for the viewer, partial ones are dropped while it stalls. A viewer that
 * reads nothing for five minutes is disconnected.
 */
export class EventStream {
  readonly #response: ServerResponse;
  #isGone = false;
  /** Set while an event waits for the viewer. */
  #waiting: AbortController | undefined;
  readonly #timer: NodeJS.Timeout;
  #stalled = false;

  /** Takes over the reply and sends its headers. */
  constructor(reply: FastifyReply, { headers, heartbeatMs, onGone, onDrain }: EventStreamOptions) {
    const response = reply.raw;
    reply.hijack();
    this.#response = response;
    this.#timer = setTimeout(() => this.#beat(), heartbeatMs);
    response.on('error', () => response.destroy());
    if (response.destroyed) {
      this.#close(onGone);
      return;
    }
    response.once('close', () => this.#close(onGone));
    if (onDrain !== undefined) response.on('drain', onDrain);
    response.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...streamHeaders, ...headers });
    response.flushHeaders();
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Sends an event as a `data:` frame. */
  send(json: Uint8Array, isPartial: boolean): Promise<void> {
    return this.write(Buffer.concat([prefix, json, suffix]), isPartial);
  }

  /** Sends whole frames. Resolves when they were written to the socket's buffer or dropped. */
  async write(frames: Uint8Array, isPartial = false): Promise<void> {
    if (!this.#response.writableNeedDrain) this.#stalled = false;
    else if (!this.isGone) await this.#drained(isPartial);
    if (this.isGone || (isPartial && this.#response.writableNeedDrain)) return;
    this.#timer.refresh();
    this.#response.write(frames);
  }

  /** Sends whole frames at once. False when the caller must send no more before `onDrain`. */
  push(frames: Uint8Array): boolean {
    if (this.isGone) return true;
    this.#timer.refresh();
    return this.#response.write(frames);
  }

  end(): void {
    clearTimeout(this.#timer);
    if (!this.isGone) this.#response.end();
  }

  async #drained(isPartial: boolean): Promise<void> {
    if (isPartial && this.#stalled) return;
    this.#waiting = new AbortController();
    const patience = AbortSignal.timeout(isPartial ? partialPatienceMs : wholePatienceMs);
    const signal = AbortSignal.any([this.#waiting.signal, patience]);
    this.#stalled = await once(this.#response, 'drain', { signal }).then(
      () => false,
      () => true,
    );
    this.#waiting = undefined;
    if (this.#stalled && !isPartial) this.#response.destroy();
  }

  #beat(): void {
    if (this.isGone) return;
    if (!this.#response.writableNeedDrain) this.#response.write(heartbeat);
    this.#timer.refresh();
  }

  #close(onGone: () => void): void {
    clearTimeout(this.#timer);
    this.#isGone = true;
    this.#waiting?.abort(viewerGone);
    if (!this.#response.writableFinished) onGone();
  }
}
