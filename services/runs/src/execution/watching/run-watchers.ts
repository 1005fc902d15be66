import { runWatchersTooMany } from '../../errors.ts';

/** Most streams of one account in one process. */
const mostWatchers = 1_000;

/** The streams of runs in this process. */
export interface RunWatchers {
  /**
   * Adds a stream; `look` is called when its run may have ended. Returns what removes the stream.
   *
   * @throws MeshError resource_exhausted `run_watchers_too_many`
   */
  add(run: { readonly accountId: string; readonly invocationId: string }, look: () => void): () => void;
  /** To be called when a run may have ended. */
  ended(accountId: string, invocationId: string): void;
}

export function createRunWatchers(): RunWatchers {
  const accounts = new Map<string, Map<() => void, string>>();
  return {
    add({ accountId, invocationId }, look) {
      const own = accounts.get(accountId) ?? new Map<() => void, string>();
      if (own.size >= mostWatchers) throw runWatchersTooMany(mostWatchers);
      accounts.set(accountId, own.set(look, invocationId));
      return () => {
        own.delete(look);
        if (own.size === 0 && accounts.get(accountId) === own) accounts.delete(accountId);
      };
    },
    ended(accountId, invocationId) {
      for (const [look, watched] of accounts.get(accountId) ?? []) if (watched === invocationId) look();
    },
  };
}
