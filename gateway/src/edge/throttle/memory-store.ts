import { LRUCache } from 'lru-cache';
import { intervalOf, verdictOf } from './bucket.ts';
import type { BucketStore } from './store.ts';

/** Buckets that were not touched for longest are forgotten first: whoever fills this with others gains nothing over one address. */
const remembered = 200_000;

/** Keeps buckets in this process. `now` answers milliseconds. */
export function createMemoryStore(now: () => number = Date.now): BucketStore {
  /** When each bucket is full again. */
  const fullAt = new LRUCache<string, number>({ max: remembered });
  const debtOf = (key: string): number => Math.max(0, (fullAt.get(key) ?? 0) - now());
  return {
    async take(bucket) {
      const interval = intervalOf(bucket);
      const debt = debtOf(bucket.key);
      const isAllowed = debt + interval <= bucket.burst * interval;
      if (isAllowed) fullAt.set(bucket.key, now() + debt + interval);
      return verdictOf(bucket, { isAllowed, debt: isAllowed ? debt + interval : debt });
    },
    async giveBack(bucket) {
      const debt = debtOf(bucket.key) - intervalOf(bucket);
      if (debt > 0) fullAt.set(bucket.key, now() + debt);
      else fullAt.delete(bucket.key);
    },
  };
}
