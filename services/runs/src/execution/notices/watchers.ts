import { Wake } from '@agentmesh/lib/wait';
import { noticeWatchersTooMany } from '../../errors.ts';

/** Most streams of notices of one account in one process. */
const mostWatchers = 50;

/** The streams of notices in this process, by account. */
export interface Watchers {
  /** Adds a stream. Throws MeshError resource_exhausted `notice_watchers_too_many`. */
  add(accountId: string): { readonly wake: Wake; readonly leave: () => void };
  /** Makes the account's streams look at the database. */
  wake(accountId: string): void;
}

export function createWatchers(): Watchers {
  const wakes = new Map<string, Set<Wake>>();
  return {
    add(accountId) {
      const own = wakes.get(accountId) ?? new Set();
      if (own.size >= mostWatchers) throw noticeWatchersTooMany(mostWatchers);
      const wake = new Wake();
      wakes.set(accountId, own.add(wake));
      return {
        wake,
        leave: () => {
          own.delete(wake);
          if (own.size === 0 && wakes.get(accountId) === own) wakes.delete(accountId);
        },
      };
    },
    wake(accountId) {
      for (const wake of wakes.get(accountId) ?? []) wake.wake();
    },
  };
}
