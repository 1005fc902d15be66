/** Runs work in the order of the calls: one at a time for each key, and a limited number for all keys. */
export type KeyedLimit = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Creates a limit of `most` pieces of work at a time. Waiting work holds no database connection, so one memory that takes long to
 * write, or that many calls write at once, does not take all connections.
 */
export function createKeyedLimit(most: number): KeyedLimit {
  const lastOf = new Map<string, Promise<void>>();
  const waiting: (() => void)[] = [];
  let running = 0;
  const enter = async (): Promise<void> => {
    if (running < most) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };
  return async (key, work) => {
    const before = lastOf.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    lastOf.set(key, promise);
    await before;
    await enter();
    try {
      return await work();
    } finally {
      leave();
      resolve();
      if (lastOf.get(key) === promise) lastOf.delete(key);
    }
  };
}
