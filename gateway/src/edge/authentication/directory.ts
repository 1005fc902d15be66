import { LRUCache } from 'lru-cache';
import { mostEntries } from '../most-entries.ts';
import type { AccountChanges } from './account-changes.ts';

/** Cache of answers of auth about tokens. An entry lives for a minute, or until its account changes. */
export interface Directory<V> {
  /** Answers synchronously from the cache, else as the look-up answers or fails. */
  find(key: string): V | Promise<V>;
  /** True if the cache holds nothing that a change could make stale. */
  readonly isEmpty: boolean;
}

/** Each entry belongs to an account. */
interface Owned {
  readonly accountId: string;
}

const rememberedMs = 60_000;
const remembered = 50_000;
/** The cache itself forgets an entry only when it is read or needs its place. */
const purgeMs = 10_000;

/** Concurrent requests for one key share a look-up, unless an account has changed since the look-up began. */
export function createDirectory<V extends Owned>(
  fetch: (key: string) => Promise<V>,
  changes: AccountChanges,
): Directory<V> {
  const known = new LRUCache<string, { readonly value: V; readonly mark: number }>({
    ...mostEntries(remembered),
    ttl: rememberedMs,
    perf: { now: () => performance.now() },
    // Without it the cache starts a timer in each millisecond in which it is read.
    ttlResolution: 1_000,
  });
  let purgeAt = 0;
  const lookups = new Map<string, { readonly answer: Promise<V>; readonly mark: number }>();

  function lookUp(key: string): Promise<V> {
    const mark = changes.mark();
    const answer = fetch(key)
      .then((value) => {
        known.set(key, { value, mark });
        return value;
      })
      .finally(() => {
        if (lookups.get(key) === lookup) lookups.delete(key);
      });
    const lookup = { answer, mark };
    lookups.set(key, lookup);
    return answer;
  }

  function purge(): void {
    if (performance.now() < purgeAt) return;
    purgeAt = performance.now() + purgeMs;
    known.purgeStale();
  }

  return {
    find(key) {
      const entry = known.get(key);
      if (entry !== undefined && changes.isGood(entry.value.accountId, entry.mark)) return entry.value;
      const lookup = lookups.get(key);
      return lookup?.mark === changes.mark() ? lookup.answer : lookUp(key);
    },
    get isEmpty() {
      purge();
      return known.size === 0 && lookups.size === 0;
    },
  };
}
