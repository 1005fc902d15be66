import { ArrivalOrder } from '@agentmesh/lib/wait';

const waiting = new WeakMap<AbortSignal, ArrivalOrder<() => void>>();

/**
 * Calls `leave` when a signal aborts for which thousands wait, at once where it has, unless it is disposed before. `addEventListener` looks at all listeners of the signal for each one
 * that is added or removed: a thousand streams that begin at once would hold up all others for a fifth of a second.
 */
export function onAbort(signal: AbortSignal, leave: () => void): Disposable {
  if (signal.aborted) {
    leave();
    return { [Symbol.dispose]: () => undefined };
  }
  const known = waiting.get(signal);
  const all = known ?? new ArrivalOrder<() => void>();
  if (known === undefined) {
    waiting.set(signal, all);
    const leaveAll = (): void => {
      for (const one of all) one();
    };
    signal.addEventListener('abort', leaveAll, { once: true });
  }
  const link = all.add(leave);
  return { [Symbol.dispose]: () => all.remove(link) };
}
