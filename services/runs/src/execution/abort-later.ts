import type { Leaving, Stopping } from '@agentmesh/lib/wait';

/** Aborts `later` some milliseconds after a call has ended, with the same reason. Disposing ends the watch. */
export function abortLater(later: Stopping, left: Leaving | undefined, pauseMs: number): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const forget = left?.onceEnded(() => {
    timer = setTimeout(() => left.ended && later.abort(left.ended), pauseMs);
  });
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      forget?.();
    },
  };
}
