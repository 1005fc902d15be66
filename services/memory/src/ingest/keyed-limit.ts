/** Runs pieces of work: those of one key one after the other, of all keys so many at once, in the order in which they come. */
export type KeyedLimit = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Whoever waits here holds no connection of the database: one memory that is long in the writing, or asked for many times
 * at once, must not keep all of them.
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
