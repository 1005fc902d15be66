import { LRUCache } from 'lru-cache';

/** When accounts last changed, as far as this process knows: what was looked up before that is no longer good. */
export interface AccountChanges {
  /** Now. Take it before a look-up, and keep it with the answer. */
  mark(): number;
  /** Whether what was looked up at `mark` of this account is still good. */
  isGood(accountId: string, mark: number): boolean;
  /** The account changed. */
  note(accountId: string): void;
  /** All may have changed. */
  noteAll(): void;
  /** The account was deleted. Ids are never used again. */
  bury(accountId: string): void;
  isBuried(accountId: string): boolean;
}

const remembered = 50_000;

export function createAccountChanges(): AccountChanges {
  let now = 0;
  let everything = 0;
  const changed = new LRUCache<string, number>({
    max: remembered,
    // What is forgotten of one account is then held to be true of all.
    dispose: (at, _accountId, reason) => {
      if (reason === 'evict') everything = Math.max(everything, at);
    },
  });
  const deleted = new LRUCache<string, true>({ max: remembered });
  const note = (accountId: string): void => {
    now += 1;
    changed.set(accountId, now);
  };
  return {
    mark: () => now,
    isGood: (accountId, mark) => mark >= everything && mark >= (changed.get(accountId) ?? 0),
    note,
    noteAll: () => {
      now += 1;
      everything = now;
    },
    bury: (accountId) => {
      deleted.set(accountId, true);
      note(accountId);
    },
    isBuried: (accountId) => deleted.has(accountId),
  };
}
