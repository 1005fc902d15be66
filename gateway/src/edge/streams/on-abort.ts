const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `leave` when a signal aborts for which thousands wait, unless it is disposed before. `addEventListener` looks at all listeners of the signal for each one
 * that is added or removed: a thousand streams that begin at once would hold up all others for a fifth of a second.
 */
export function onAbort(signal: AbortSignal, leave: () => void): Disposable {
  const known = waiting.get(signal);
  const all = known ?? new Set();
  if (known === undefined) {
    waiting.set(signal, all);
    signal.addEventListener('abort', () => all.forEach((one) => one()), { once: true });
  }
  const call = (): void => leave();
  all.add(call);
  return { [Symbol.dispose]: () => void all.delete(call) };
}
