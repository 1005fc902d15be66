import type { Leaving } from '@agentmesh/lib/rpc';

/** Aborts `later` some milliseconds after a call has ended, with the same reason. Disposing ends the watch. */
export function abortLater(later: AbortController, left: Leaving | undefined, pauseMs: number): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const forget = left?.onceEnded(() => {
    timer = setTimeout(() => later.abort(left.ended), pauseMs);
  });
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      forget?.();
    },
  };
}
