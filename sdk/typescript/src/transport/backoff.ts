/** Longest pause between two tries, in milliseconds. */
const longestMs = 10_000;

/** A random pause in milliseconds before the try with this number, counted from 1: at most `baseMs`, doubled for each try. */
export function backoffMs(attempt: number, baseMs: number): number {
  return Math.random() * Math.min(longestMs, baseMs * 2 ** Math.min(attempt - 1, 20));
}

/** Waits. Rejects with the signal's reason when it aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(reasonOf(signal));
    const onAbort = (): void => {
      clearTimeout(timer);
      if (signal !== undefined) reject(reasonOf(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Why a signal aborted, as an error. */
export function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new DOMException(String(reason), 'AbortError');
}

/** Seconds of a `Retry-After` header, which holds seconds or a date. */
export function retryAfterOf(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, (dateMs - Date.now()) / 1000);
}
