import { LRUCache } from 'lru-cache';
import { mostEntries } from '../most-entries.ts';
import { intervalOf, verdictOf } from './bucket.ts';
import type { BucketStore } from './store.ts';

/**
 * Most buckets in memory; the least recently used are dropped. Filling the store from many addresses gains an attacker no more
 * tries than these addresses have anyway.
 */
const remembered = 200_000;

/** Keeps buckets in this process. `now` returns milliseconds. */
export function createMemoryStore(now: () => number = () => performance.now()): BucketStore {
  /** Time in milliseconds at which each bucket is full again. */
  const fullAt = new LRUCache<string, number>(mostEntries(remembered));
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
