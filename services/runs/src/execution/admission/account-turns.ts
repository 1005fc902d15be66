/** A turn of an account. It ends once: when it is ended, disposed, or was held for the longest time while others wait. */
export interface AccountTurn extends Disposable {
  end(): void;
}

interface AccountTurnsOptions {
  /** Most turns of one account at a time. */
  readonly atOnce: number;
  /** Longest time of a turn, so that nothing that was forgotten or waits for long holds up the others of its account. */
  readonly longestMs: number;
}

/** Turns of an account that are passed on in one round of the event loop. */
const passedAtOnce = 2;

interface HeldTurn extends AccountTurn {
  readonly sinceMs: number;
}

interface Account {
  /** Turns that are held, that have ended and are to be passed on, or were passed on to one that has not gone on yet. */
  turns: number;
  /** The oldest first. */
  readonly held: Set<HeldTurn>;
  /** In the order in which they came. */
  readonly waiting: Set<() => void>;
  /** Turns that have ended and are passed on in the next rounds. */
  ended: number;
  /** Runs only while somebody waits: a run that finds a free turn costs no timer. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * Lets only so many runs of one account be stored and begun at a time in this process; the others wait in the order in which they came. Thousands of runs that
 * come at once would otherwise make each round of the event loop long, and a run of another account needs many rounds. For the same reason turns that end together,
 * because their runs were stored by one commit, are passed on in rounds of their own.
 */
export class AccountTurns {
  readonly #options: AccountTurnsOptions;
  readonly #accounts = new Map<string, Account>();
  /** Accounts with turns to pass on. */
  readonly #passing = new Map<string, Account>();

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
    const known = this.#accounts.get(accountId);
    const account: Account = known ?? { turns: 0, held: new Set(), waiting: new Set(), ended: 0, timer: undefined };
    this.#accounts.set(accountId, account);
    if (account.turns < this.#options.atOnce) account.turns += 1;
    else {
      const turn = waitIn(account.waiting, signal);
      this.#watch(account);
      await turn;
    }
    return this.#begin(accountId, account);
  }

  #begin(accountId: string, account: Account): AccountTurn {
    const end = (): void => {
      if (account.held.delete(turn)) this.#passOn(accountId, account);
    };
    const turn: HeldTurn = { sinceMs: performance.now(), end, [Symbol.dispose]: end };
    account.held.add(turn);
    this.#watch(account);
    return turn;
  }

  /** Ends turns that were held for the longest time, as long as somebody waits. */
  #watch(account: Account): void {
    const [oldest] = account.held;
    if (account.timer !== undefined || account.waiting.size === 0 || oldest === undefined) return;
    const { longestMs } = this.#options;
    const leftMs = Math.ceil(oldest.sinceMs + longestMs - performance.now());
    account.timer = setTimeout(() => {
      account.timer = undefined;
      const over = performance.now() - longestMs;
      for (const turn of account.held) if (turn.sinceMs <= over && account.waiting.size > 0) turn.end();
      this.#watch(account);
    }, leftMs);
  }

  #passOn(accountId: string, account: Account): void {
    if (account.waiting.size === 0) return this.#free(accountId, account);
    account.ended += 1;
    if (this.#passing.size === 0) setImmediate(this.#round);
    this.#passing.set(accountId, account);
  }

  readonly #round = (): void => {
    for (const [accountId, account] of this.#passing) {
      for (let passed = 0; passed < passedAtOnce && account.ended > 0; passed += 1) {
        account.ended -= 1;
        const [next] = account.waiting;
        if (next === undefined) this.#free(accountId, account);
        else {
          account.waiting.delete(next);
          next();
        }
      }
      if (account.ended === 0) this.#passing.delete(accountId);
    }
    if (this.#passing.size > 0) setImmediate(this.#round);
  };

  #free(accountId: string, account: Account): void {
    account.turns -= 1;
    if (account.turns > 0) return;
    clearTimeout(account.timer);
    this.#accounts.delete(accountId);
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
