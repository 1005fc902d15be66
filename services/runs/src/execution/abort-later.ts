/** Aborts `later` some milliseconds after `signal` has aborted, with the same reason. Disposing ends the watch. */
export function abortLater(later: AbortController, signal: AbortSignal | undefined, pauseMs: number): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => later.abort(signal?.reason), pauseMs);
  };
  signal?.addEventListener('abort', begin, { once: true });
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', begin);
    },
  };
}
