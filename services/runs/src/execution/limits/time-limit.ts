import type { Stopping } from '@agentmesh/lib/wait';
import { LimitReached } from './run-limits.ts';

/** The longest time that a timer of Node takes. */
const longestMs = 2 ** 31 - 1;

/** Aborts a run with LimitReached when its time is over, of which earlier attempts have taken `spent` seconds. Disposing ends the watch. */
export function watchTime(seconds: number, spent: number, working: Stopping): Disposable {
  const leftMs = Math.max(0, seconds - spent) * 1_000;
  const timer =
    leftMs <= longestMs ? setTimeout(() => working.abort(new LimitReached('seconds', seconds)), leftMs) : undefined;
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
