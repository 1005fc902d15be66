/** A signal that aborts some time after another one. Disposing ends the watch. */
interface LaterAbort extends Disposable {
  readonly signal: AbortSignal;
}

/** Aborts `pauseMs` milliseconds after `signal`, with the same reason. */
export function abortLater(signal: AbortSignal | undefined, pauseMs: number): LaterAbort {
  const later = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => later.abort(signal?.reason), pauseMs);
  };
  signal?.addEventListener('abort', begin, { once: true });
  return {
    signal: later.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', begin);
    },
  };
}
