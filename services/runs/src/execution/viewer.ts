import { type Leaving, Wake } from '@agentmesh/lib/wait';
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
  /** The next response to send; undefined after the last one, and at once when the caller has left. Throws MeshError `viewer_too_slow`. One read at a time. */
  next(left?: Leaving): Response | undefined | Promise<Response | undefined>;
  /** To be called when nothing is read any more. */
  close(): void;
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

/** A viewer that is read by `next`. */
export function createViewer(partials: boolean, limits: ViewerLimits = usual): Viewer {
  return new BufferedViewer(partials, new Unread(limits));
}

class BufferedViewer implements Viewer {
  readonly partials: boolean;
  leftAfterSeq: number | undefined;
  readonly #waiting: Unread;
  #closed = false;
  #position = 0;
  #error: Error | undefined;
  readonly #news = new Wake();
  /** Takes the wait for the end of the caller back. */
  #forget: (() => void) | undefined;

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

  next(left?: Leaving): Response | undefined | Promise<Response | undefined> {
    const next = left?.ended === undefined ? this.#waiting.take() : undefined;
    if (next !== undefined) return next;
    if (this.#closed || left?.ended !== undefined) return this.#end();
    // For all waits.
    this.#forget ??= left?.onceEnded(() => this.#news.wake());
    return this.#news.wait().then(() => this.next(left));
  }

  close(): void {
    this.#forget?.();
    this.#forget = undefined;
    this.#closed = true;
    this.#waiting.clear();
  }

  #end(): undefined {
    if (this.#error !== undefined) throw this.#error;
    return undefined;
  }

  #close(reason?: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#error = reason;
    this.#news.wake();
  }
}

/** The responses that a viewer has not read yet. */
class Unread {
  readonly #limits: ViewerLimits;
  #waiting: Response[] = [];
  #bytes = 0;

  constructor(limits: ViewerLimits) {
    this.#limits = limits;
  }

  /** Returns false when the response does not fit. */
  add(event: WireEvent): boolean {
    const count = event.partial ? this.#limits.partialEvents : this.#limits.wholeEvents;
    if (!event.partial && !this.#fits(event, count)) this.#leavePartialsOut();
    if (!this.#fits(event, count)) return false;
    this.#waiting.push({ kind: { case: 'event', value: event } });
    this.#bytes += event.json.length;
    return true;
  }

  addFailure(failure: ViewedFailure): void {
    this.#waiting.push({ kind: { case: 'failure', value: failure } });
  }

  /** Replaces a position that has not been taken. */
  addPosition(position: number): void {
    this.#replace({ kind: { case: 'queued', value: { position } } });
  }

  /** Replaces a wait that has not been taken. */
  addWait(on: string): void {
    this.#replace({ kind: { case: 'waiting', value: { on } } });
  }

  take(): Response | undefined {
    const next = this.#waiting.shift();
    if (next !== undefined) this.#bytes -= sizeOf(next);
    return next;
  }

  clear(): void {
    this.#waiting = [];
    this.#bytes = 0;
  }

  #leavePartialsOut(): void {
    this.#waiting = this.#waiting.filter(({ kind }) => kind?.case !== 'event' || kind.value.partial !== true);
    this.#bytes = this.#waiting.reduce((sum, response) => sum + sizeOf(response), 0);
  }

  #replace(response: Response): void {
    this.#waiting = this.#waiting.filter(({ kind }) => kind?.case !== response.kind?.case);
    this.#waiting.push(response);
  }

  #fits(event: WireEvent, count: number): boolean {
    const { length } = this.#waiting;
    return length === 0 || (length < count && this.#bytes + event.json.length <= this.#limits.bytes);
  }
}

function sizeOf({ kind }: Response): number {
  return kind?.case === 'event' ? (kind.value.json?.length ?? 0) : 0;
}
