import { LRUCache } from 'lru-cache';
import { mostEntries } from '../most-entries.ts';

/** Times of the last known change of each account. Cached data of an account is valid only if it is newer than that. */
export interface AccountChanges {
  /** The present time, as a counter. Take it before a look-up and store it with the answer. */
  mark(): number;
  /** Whether data of this account that was looked up at `mark` is still valid. */
  isGood(accountId: string, mark: number): boolean;
  /** Marks everything known of one account as stale. */
  note(accountId: string): void;
  /** Marks everything known of all accounts as stale. */
  noteAll(): void;
}

const remembered = 50_000;

export function createAccountChanges(): AccountChanges {
  let now = 0;
  let everything = 0;
  const changed = new LRUCache<string, number>({
    ...mostEntries(remembered),
    // When the cache drops one account's time, all accounts count as changed at that time.
    dispose: (at, _accountId, reason) => {
      if (reason === 'evict') everything = Math.max(everything, at);
    },
  });
  return {
    mark: () => now,
    isGood: (accountId, mark) => mark >= everything && mark >= (changed.get(accountId) ?? 0),
    note: (accountId) => {
      now += 1;
      changed.set(accountId, now);
    },
    noteAll: () => {
      now += 1;
      everything = now;
    },
  };
}
