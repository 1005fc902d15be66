/** A turn of an account. It ends once: when it is ended, disposed, or was held for the longest time. */
export interface AccountTurn extends Disposable {
  end(): void;
}

interface AccountTurnsOptions {
  /** Most turns of one account at a time. */
  readonly atOnce: number;
  /** Longest time of a turn, so that nothing that was forgotten or waits for long holds up the others of its account. */
  readonly longestMs: number;
}

interface Account {
  turns: number;
  /** In the order in which they came. */
  readonly waiting: Set<() => void>;
}

/**
 * Lets only so many runs of one account be stored and begun at a time in this process; the others wait in the order in which they came. Thousands of runs that
 * come at once would otherwise make each round of the event loop long, and a run of another account needs many rounds.
 */
export class AccountTurns {
  readonly #options: AccountTurnsOptions;
  readonly #accounts = new Map<string, Account>();

  constructor(options: AccountTurnsOptions) {
    this.#options = options;
  }

  /** Accounts that hold turns. */
  get size(): number {
    return this.#accounts.size;
  }

  /** Waits for a turn. Rejects with the reason of `signal` when it aborts before. */
  async take(accountId: string, signal?: AbortSignal): Promise<AccountTurn> {
    signal?.throwIfAborted();
    const account: Account = this.#accounts.get(accountId) ?? { turns: 0, waiting: new Set() };
    this.#accounts.set(accountId, account);
    if (account.turns < this.#options.atOnce) account.turns += 1;
    else await waitIn(account.waiting, signal);
    return this.#begin(accountId, account);
  }

  #begin(accountId: string, account: Account): AccountTurn {
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      this.#passOn(accountId, account);
    };
    const timer = setTimeout(end, this.#options.longestMs);
    return { end, [Symbol.dispose]: end };
  }

  /** The next one that waits has the turn from this moment on. */
  #passOn(accountId: string, account: Account): void {
    const [next] = account.waiting;
    if (next !== undefined) {
      account.waiting.delete(next);
      next();
      return;
    }
    account.turns -= 1;
    if (account.turns === 0) this.#accounts.delete(accountId);
  }
}

function waitIn(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = (): void => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    const leave = (): void => {
      waiting.delete(go);
      reject(signal?.reason as Error);
    };
    waiting.add(go);
    signal?.addEventListener('abort', leave, { once: true });
  });
}
