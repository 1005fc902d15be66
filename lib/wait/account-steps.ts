import { Neighbours } from './neighbours.ts';

/** Time in milliseconds of one round of the event loop for steps of an account that come without a wait. */
const mostMs = 2;

interface Account {
  /** When its first step of this round began. */
  sinceMs: number;
  /** Lets the next steps begin, in their order. */
  readonly waiting: (() => void)[];
}

/**
 * Spreads the work of an account's runs over rounds of the event loop while runs of other accounts are there. Answers of other services come together, e.g. those of sixteen
 * runs that one commit has stored: sixteen runs that go on in one round keep a run of another account waiting for all of them. A step is what a run does until it waits again.
 * Each account has steps of about 2 ms in a round, and then one in each further round until none waits. An account that is alone never waits.
 */
export class AccountSteps {
  /** Accounts with steps in this round. */
  readonly #accounts = new Map<string, Account>();
  #isRoundDue = false;
  readonly #neighbours = new Neighbours();

  /** Undefined when the step may begin at once, else a promise for when it may. It never rejects. */
  take(accountId: string): Promise<void> | undefined {
    const nowMs = performance.now();
    this.#neighbours.see(accountId, nowMs);
    const account = this.#accounts.get(accountId);
    if (account === undefined) {
      if (this.#neighbours.hasOther(accountId, nowMs)) this.#open(accountId, nowMs);
      return undefined;
    }
    if (account.waiting.length === 0 && nowMs - account.sinceMs < mostMs) return undefined;
    return new Promise((go) => account.waiting.push(go));
  }

  #open(accountId: string, sinceMs: number): void {
    this.#accounts.set(accountId, { sinceMs, waiting: [] });
    this.#dueRound();
  }

  #dueRound(): void {
    if (this.#isRoundDue) return;
    this.#isRoundDue = true;
    setImmediate(this.#round);
  }

  readonly #round = (): void => {
    this.#isRoundDue = false;
    const nowMs = performance.now();
    for (const [accountId, account] of this.#accounts) {
      const next = account.waiting.shift();
      if (next === undefined) this.#accounts.delete(accountId);
      else {
        account.sinceMs = nowMs;
        next();
      }
    }
    if (this.#accounts.size > 0) this.#dueRound();
  };
}
