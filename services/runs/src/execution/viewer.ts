import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Failure, RunResponseSchema } from '@agentmesh/proto/runs/v1';
import type { WireEvent } from '@agentmesh/proto/event';
import { viewerTooSlow } from '../errors.ts';

type Response = MessageInitShape<typeof RunResponseSchema>;

/**
 * Who watches a run. It never slows the run: what a stalled viewer has not read waits in a bounded buffer, from which partial
 * events are left out first; when whole events do not fit either, the viewer is cut off. One event always fits, however large.
 */
export interface Viewer {
  /** Whether it wants partial events. */
  readonly partials: boolean;
  show(event: WireEvent): void;
  /** Nothing more will come. */
  end(): void;
  fail(failure: Pick<Failure, 'type' | 'message'>): void;
  /** What to send, in order; throws MeshError `viewer_too_slow`. Leaving it closes the viewer. */
  responses(): AsyncGenerator<Response>;
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
  const waiting = createUnread(limits);
  let closed = false;
  let error: Error | undefined;
  let wake: (() => void) | undefined;

  const notify = (): void => {
    wake?.();
    wake = undefined;
  };
  const close = (reason?: Error): void => {
    if (closed) return;
    closed = true;
    error = reason;
    notify();
  };
  return {
    partials,
    show(event) {
      if (closed) return;
      if (waiting.add(event)) notify();
      else if (!event.partial) close(viewerTooSlow());
    },
    end: () => close(),
    fail(failure) {
      if (!closed) waiting.addFailure(failure);
      close();
    },
    async *responses() {
      try {
        for (;;) {
          for (let next = waiting.take(); next !== undefined; next = waiting.take()) yield next;
          if (closed) break;
          await new Promise<void>((resolve) => (wake = resolve));
        }
        if (error !== undefined) throw error;
      } finally {
        closed = true;
        waiting.clear();
      }
    },
  };
}

/** What a viewer has not read yet. */
interface Unread {
  /** False when it does not fit. */
  add(event: WireEvent): boolean;
  addFailure(failure: Pick<Failure, 'type' | 'message'>): void;
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
