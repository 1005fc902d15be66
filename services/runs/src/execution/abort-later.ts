import type { Leaving, Stopping } from '@agentmesh/lib/wait';

/** Aborts `later` some milliseconds after a call has ended, with the same reason. The function that it returns ends the watch. */
export function abortLater(later: Stopping, left: Leaving | undefined, pauseMs: number): () => void {
  let timer: NodeJS.Timeout | undefined;
  const forget = left?.onceEnded(() => {
    timer = setTimeout(() => left.ended && later.abort(left.ended), pauseMs);
  });
  return () => {
    clearTimeout(timer);
    forget?.();
  };
}
