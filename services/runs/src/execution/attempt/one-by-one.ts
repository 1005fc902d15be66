import { unlessAborted } from '@agentmesh/lib/wait';

/** Starts work of one key when the work of this key before it has ended, or when the signal aborts. */
export type OneByOne = <T>(key: string, work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** Work that does not reject, one after the other for each key. */
export function createOneByOne(): OneByOne {
  const latest = new Map<string, Promise<unknown>>();
  return (key, work, signal) => {
    const before = latest.get(key);
    const mine = before === undefined ? work() : unlessAborted(before, signal).then(work, work);
    const all = Promise.all([before, mine]);
    latest.set(key, all);
    void all.then(() => latest.get(key) === all && latest.delete(key));
    return mine;
  };
}
