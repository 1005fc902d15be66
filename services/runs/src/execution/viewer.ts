import { Wake } from '@agentmesh/lib/wait';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Failure, RunResponseSchema } from '@agentmesh/proto/runs/v1';
import type { WireEvent } from '@agentmesh/proto/event';
import { viewerTooSlow } from '../errors.ts';

type Response = MessageInitShape<typeof RunResponseSchema>;

type ViewedFailure = Pick<Failure, 'type' | 'message'> & Partial<Pick<Failure, 'isTold'>>;

/**
 * A client that watches a run. It never slows the run: events that it has not read wait in a bounded buffer, from which partial
 * events are left out first; when whole events do not fit either, the viewer is cut off. One event always fits, however large.
 */
export interface Viewer {
  /** Whether it wants partial events. */
  readonly partials: boolean;
  show(event: WireEvent): void;
  /** Tells the place of the run in its queue, if it has changed. */
  queued(position: number): void;
  /** Tells what the run has been waiting for. */
  waiting(on: string): void;
  /** Ends the stream after the waiting responses, and after `failure` if the run has failed. */
  end(failure?: ViewedFailure): void;
  fail(failure: ViewedFailure): void;
  /** Ends the stream of a run that another process executes, or has executed. `seq`: sequence of the last stored event that was shown; 0 for none. */
  leaveToOther(seq?: number): void;
  /** Where the stream has ended because of `leaveToOther`; undefined when it has not. */
  readonly leftAfterSeq: number | undefined;
  /**
   * The responses to send, in order; they end at once when `signal` aborts. Throws MeshError `viewer_too_slow`. Leaving the loop closes the
   * viewer.
   */
  responses(signal?: AbortSignal): AsyncGenerator<Response>;
}

export interface ViewerLimits {
  /** Waiting responses above which partial events are left out. */
  readonly partialEvents: number;
  /** Waiting whole events above which the viewer is cut off. */
  readonly wholeEvents: number;
  /** Waiting bytes above which partial events are left out, and then the viewer is cut off. */
  readonly bytes: number;
}

const usual: ViewerLimits = { partialEvents: 256, wholeEvents: 2_000, bytes: 64 * 1024 * 1024 };

/** A viewer that is read through `responses()`. */
export function createViewer(partials: boolean, limits: ViewerLimits = usual): Viewer {
  return new BufferedViewer(partials, createUnread(limits));
}

class BufferedViewer implements Viewer {
  readonly partials: boolean;
  leftAfterSeq: number | undefined;
  readonly #waiting: Unread;
  #closed = false;
  #position = 0;
  #error: Error | undefined;
  readonly #news = new Wake();

  constructor(partials: boolean, waiting: Unread) {
    this.partials = partials;
    this.#waiting = waiting;
  }

  show(event: WireEvent): void {
    if (this.#closed) return;
    if (this.#waiting.add(event)) this.#news.wake();
    else if (!event.partial) this.#close(viewerTooSlow());
  }

  queued(position: number): void {
    if (this.#closed || position === this.#position) return;
    this.#position = position;
    this.#waiting.addPosition(position);
    this.#news.wake();
  }

  waiting(on: string): void {
    if (this.#closed) return;
    this.#waiting.addWait(on);
    this.#news.wake();
  }

  end(failure?: ViewedFailure): void {
    if (failure !== undefined) this.fail(failure);
    else this.#close();
  }

  fail(failure: ViewedFailure): void {
    if (!this.#closed) this.#waiting.addFailure(failure);
    this.#close();
  }

  leaveToOther(seq = 0): void {
    if (!this.#closed) this.leftAfterSeq = seq;
    this.#close();
  }

  async *responses(signal?: AbortSignal): AsyncGenerator<Response> {
    try {
      while (signal?.aborted !== true) {
        for (let next = this.#waiting.take(); next !== undefined; next = this.#waiting.take()) yield next;
        if (this.#closed) break;
        await this.#news.wait(signal && { signal });
      }
      if (this.#error !== undefined) throw this.#error;
    } finally {
      this.#closed = true;
      this.#waiting.clear();
    }
  }

  #close(reason?: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#error = reason;
    this.#news.wake();
  }
}

/** The responses that a viewer has not read yet. */
interface Unread {
  /** Returns false when the response does not fit. */
  add(event: WireEvent): boolean;
  addFailure(failure: ViewedFailure): void;
  /** Replaces a position that has not been taken. */
  addPosition(position: number): void;
  /** Replaces a wait that has not been taken. */
  addWait(on: string): void;
  take(): Response | undefined;
  clear(): void;
}

function createUnread(limits: ViewerLimits): Unread {
  let waiting: Response[] = [];
  let bytes = 0;

  const leavePartialsOut = (): void => {
    waiting = waiting.filter(({ kind }) => kind?.case !== 'event' || kind.value.partial !== true);
    bytes = waiting.reduce((sum, response) => sum + sizeOf(response), 0);
  };
  const replace = (response: Response): void => {
    waiting = waiting.filter(({ kind }) => kind?.case !== response.kind?.case);
    waiting.push(response);
  };
  const fits = (event: WireEvent, count: number): boolean =>
    waiting.length === 0 || (waiting.length < count && bytes + event.json.length <= limits.bytes);
  return {
    add(event) {
      const count = event.partial ? limits.partialEvents : limits.wholeEvents;
      if (!event.partial && !fits(event, count)) leavePartialsOut();
      if (!fits(event, count)) return false;
      waiting.push({ kind: { case: 'event', value: event } });
      bytes += event.json.length;
      return true;
    },
    addFailure: (failure) => void waiting.push({ kind: { case: 'failure', value: failure } }),
    addPosition: (position) => replace({ kind: { case: 'queued', value: { position } } }),
    addWait: (on) => replace({ kind: { case: 'waiting', value: { on } } }),
    take() {
      const next = waiting.shift();
      if (next !== undefined) bytes -= sizeOf(next);
      return next;
    },
    clear() {
      waiting = [];
      bytes = 0;
    },
  };
}

function sizeOf({ kind }: Response): number {
  return kind?.case === 'event' ? (kind.value.json?.length ?? 0) : 0;
}
