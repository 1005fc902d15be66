import { Neighbours } from './neighbours.ts';

/** Time in milliseconds of one round of the event loop for steps of an account that come without a wait. */
const mostMs = 2;
/** Waiting steps of an account that rests: so many runs of it go on together. */
const crowd = 8;
/** Rest as a multiple of the time of a round. */
const restFactor = 3;
/** Longest rest in milliseconds, and time of an earlier rest that counts for the next one: timers run late. */
const [longestRestMs, mostSavedMs] = [20, 2];
/** Rest in milliseconds for which a timer is worth it: it takes a millisecond at least. */
const leastRestMs = 1;

interface Account {
  /** When its first step of this round began; undefined when it rests. */
  sinceMs: number | undefined;
  /** Rest that it owes; less than 0 after one that was too long. */
  owedMs: number;
  restsUntilMs: number;
  /** Lets the next steps begin, in their order. */
  readonly waiting: (() => void)[];
}

/**
 * Spreads the work of an account's runs over rounds of the event loop while runs of other accounts are there. Answers of other services come together, e.g. those of sixteen
 * runs that one commit has stored: sixteen runs that go on in one round keep a run of another account waiting for all of them. A step is what a run does until it waits again.
 * Each account has steps of about 2 ms in a round, and then one in each further round until none waits. An account of which more than eight steps wait rests three
 * times as long as each round took: that leaves time to other processes of the machine, too. An account that is alone never waits.
 */
export class AccountSteps {
  /** Accounts with steps in this round, or that wait. */
  readonly #accounts = new Map<string, Account>();
  #isRoundDue = false;
  #wake: NodeJS.Timeout | undefined;
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
    const { sinceMs = -Infinity, waiting } = account;
    if (waiting.length === 0 && nowMs - sinceMs < mostMs) return undefined;
    return new Promise((go) => waiting.push(go));
  }

  #open(accountId: string, sinceMs: number): void {
    this.#accounts.set(accountId, { sinceMs, owedMs: 0, restsUntilMs: 0, waiting: [] });
    this.#dueRound();
  }

  #dueRound(): void {
    if (this.#isRoundDue) return;
    this.#isRoundDue = true;
    setImmediate(this.#round);
  }

  readonly #round = (): void => {
    this.#isRoundDue = false;
    clearTimeout(this.#wake);
    const nowMs = performance.now();
    let restsUntilMs = Infinity;
    for (const [accountId, account] of this.#accounts) {
      this.#rest(accountId, account, nowMs);
      if (account.waiting.length === 0) this.#accounts.delete(accountId);
      else if (nowMs < account.restsUntilMs) restsUntilMs = Math.min(restsUntilMs, account.restsUntilMs);
      else {
        this.#dueRound();
        account.sinceMs = nowMs;
        account.waiting.shift()?.();
      }
    }
    if (!this.#isRoundDue && restsUntilMs < Infinity) this.#wake = setTimeout(this.#round, restsUntilMs - nowMs);
  };

  /** Counts the time of a round in which the account had a step, or of a rest that is over. */
  #rest(accountId: string, account: Account, nowMs: number): void {
    const { sinceMs, restsUntilMs, waiting } = account;
    account.sinceMs = undefined;
    if (sinceMs === undefined) {
      if (nowMs >= restsUntilMs) account.owedMs = Math.max(restsUntilMs - nowMs, -mostSavedMs);
      return;
    }
    if (waiting.length <= crowd || !this.#neighbours.hasOther(accountId, nowMs)) account.owedMs = 0;
    else account.owedMs = Math.min(account.owedMs + restFactor * (nowMs - sinceMs), longestRestMs);
    account.restsUntilMs = account.owedMs < leastRestMs ? nowMs : nowMs + account.owedMs;
  }
}
