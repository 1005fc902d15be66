import { LimitReached } from './run-limits.ts';

/** The longest time that a timer of Node takes. */
const longestMs = 2 ** 31 - 1;

/** Aborts a run with LimitReached when its time is over. Disposing ends the watch. */
export function watchTime(seconds: number, working: AbortController): Disposable {
  const isLimited = seconds * 1_000 <= longestMs;
  const timer = isLimited
    ? setTimeout(() => working.abort(new LimitReached('seconds', seconds)), seconds * 1_000)
    : undefined;
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
