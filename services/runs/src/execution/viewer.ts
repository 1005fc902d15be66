import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Failure, RunResponseSchema } from '@agentmesh/proto/runs/v1';
import type { WireEvent } from '@agentmesh/proto/event';
import { viewerTooSlow } from '../errors.ts';

type Response = MessageInitShape<typeof RunResponseSchema>;

/**
 * Who watches a run. It never slows the run: what a stalled viewer has not read waits in a bounded buffer, from which partial
 * events are left out first; when whole events do not fit either, the viewer is cut off.
 */
export interface Viewer {
  /** Whether it wants partial events. */
  readonly partials: boolean;
  show(event: WireEvent): void;
  /** Nothing more will come. */
  end(): void;
  fail(failure: Pick<Failure, 'type' | 'message'>): void;
  /** Ends with an error of the call itself. */
  abort(error: Error): void;
  /** What to send, in order; throws the error of `abort` and MeshError `viewer_too_slow`. Leaving it closes the viewer. */
  responses(): AsyncGenerator<Response>;
}

export interface ViewerLimits {
  /** Waiting responses above which partial events are left out. */
  readonly partialEvents: number;
  /** Waiting whole events above which the viewer is cut off. */
  readonly wholeEvents: number;
  /** Waiting bytes above which the viewer is cut off. */
  readonly bytes: number;
}

const usual: ViewerLimits = { partialEvents: 256, wholeEvents: 2_000, bytes: 32 * 1024 * 1024 };

/** A viewer that is read through `responses()`. */
export function createViewer(partials: boolean, limits: ViewerLimits = usual): Viewer {
  let waiting: Response[] = [];
  let bytes = 0;
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
      if (closed || (event.partial && waiting.length >= limits.partialEvents)) return;
      bytes += event.json.length;
      if (waiting.length >= limits.wholeEvents || bytes > limits.bytes) return close(viewerTooSlow());
      waiting.push({ kind: { case: 'event', value: event } });
      notify();
    },
    end: () => close(),
    fail(failure) {
      if (!closed) waiting.push({ kind: { case: 'failure', value: failure } });
      close();
    },
    abort: (reason) => close(reason),
    async *responses() {
      try {
        for (;;) {
          const batch = waiting;
          waiting = [];
          bytes = 0;
          yield* batch;
          if (waiting.length > 0) continue;
          if (closed) break;
          await new Promise<void>((resolve) => (wake = resolve));
        }
        if (error !== undefined) throw error;
      } finally {
        closed = true;
      }
    },
  };
}
