import { Neighbours } from './neighbours.ts';

/** Time in milliseconds of one round of the event loop for steps of an account that come without a wait. */
const mostMs = 2;
/** Waiting steps of an account that does not rest: as many of its runs begin at a time. */
const crowd = 16;
/** Rest as a multiple of the time of a round, and the longest one in milliseconds. */
const [restFactor, longestRestMs] = [4, 30];
/** Rest in milliseconds for which a timer is worth it, and time of an earlier one that counts for the next: timers take a millisecond, and run late. */
const [leastRestMs, mostSavedMs] = [1, 2];
/** Wait in milliseconds after which an account rests no more: one that needs more than the rests leave waits longer, but not ever longer. */
const mostPatienceMs = 5_000;

interface Step {
  readonly sinceMs: number;
  readonly go: () => void;
}

interface Account {
  /** When its first step of this round began. */
  sinceMs: number;
  /** The next steps, in their order. */
  readonly waiting: Step[];
}

/**
 * Spreads the work of an account's runs over rounds of the event loop while runs of other accounts are there. Answers of other services come together, e.g. those of sixteen
 * runs that one commit has stored: sixteen runs that go on in one round keep a run of another account waiting for all of them. A step is what a run does until it waits again.
 * Each account has steps of about 2 ms in a round, and then one in each further round until none waits. Accounts of which more than sixteen steps wait rest together, four
 * times as long as a round with steps of theirs took: that leaves time to other processes of the machine, too. An account that is alone never waits.
 */
export class AccountSteps {
  /** Accounts with steps in this round, or that wait. */
  readonly #accounts = new Map<string, Account>();
  #isRoundDue = false;
  #wake: NodeJS.Timeout | undefined;
  readonly #neighbours = new Neighbours();
  /** When the present round began, if it has steps of crowds. */
  #crowdedSinceMs: number | undefined;
  /** Rest that crowds owe; less than 0 after one that was too long. */
  #owedMs = 0;
  #restsUntilMs = 0;

  /** Undefined when the step may begin at once, else a promise for when it may. It never rejects. */
  take(accountId: string): Promise<void> | undefined {
    const sinceMs = performance.now();
    this.#neighbours.see(accountId, sinceMs);
    const account = this.#accounts.get(accountId);
    if (account === undefined) {
      if (this.#neighbours.hasOther(accountId, sinceMs)) this.#open(accountId, sinceMs);
      return undefined;
    }
    if (account.waiting.length === 0 && sinceMs - account.sinceMs < mostMs) return undefined;
    return new Promise((go) => account.waiting.push({ sinceMs, go }));
  }

  #open(accountId: string, sinceMs: number): void {
    this.#accounts.set(accountId, { sinceMs, waiting: [] });
    this.#dueRound();
  }

  #dueRound(): void {
    if (this.#isRoundDue) return;
    this.#isRoundDue = true;
    clearTimeout(this.#wake);
    setImmediate(this.#round);
  }

  readonly #round = (): void => {
    this.#isRoundDue = false;
    const nowMs = performance.now();
    this.#countRest(nowMs);
    const rests = nowMs < this.#restsUntilMs;
    for (const [accountId, account] of this.#accounts) {
      if (account.waiting.length === 0) this.#accounts.delete(accountId);
      else if (!this.#isCrowd(accountId, account, nowMs)) this.#takeOne(account, nowMs);
      else if (!rests) {
        this.#crowdedSinceMs = nowMs;
        this.#takeOne(account, nowMs);
      }
    }
    if (!this.#isRoundDue && this.#accounts.size > 0) this.#wake = setTimeout(this.#round, this.#restsUntilMs - nowMs);
  };

  #takeOne(account: Account, nowMs: number): void {
    this.#dueRound();
    account.sinceMs = nowMs;
    account.waiting.shift()?.go();
  }

  #isCrowd(accountId: string, { waiting }: Account, nowMs: number): boolean {
    const oldestMs = waiting[0]?.sinceMs ?? nowMs;
    return waiting.length > crowd && nowMs - oldestMs < mostPatienceMs && this.#neighbours.hasOther(accountId, nowMs);
  }

  /** Counts the time of a round with steps of crowds, or of a rest that is over. */
  #countRest(nowMs: number): void {
    if (this.#crowdedSinceMs === undefined) {
      if (nowMs >= this.#restsUntilMs) this.#owedMs = Math.max(this.#restsUntilMs - nowMs, -mostSavedMs);
      return;
    }
    this.#owedMs = Math.min(this.#owedMs + restFactor * (nowMs - this.#crowdedSinceMs), longestRestMs);
    this.#crowdedSinceMs = undefined;
    this.#restsUntilMs = this.#owedMs < leastRestMs ? nowMs : nowMs + this.#owedMs;
  }
}
