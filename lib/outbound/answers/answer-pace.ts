/** Bytes of answers that are handed on before other work of the process gets its turn: they cost some milliseconds. */
const bytesAtOnce = 64 * 1024;
/** Bytes that a chunk counts as at least: its way through the process costs as much, however small it is. */
const leastBytes = 4 * 1024;
/** Chunks of floods that are handed on in a round. */
const floodChunks = 2;
/** Weight of what waits of one account when its servers send faster than this process reads: sixteen answers that always have more, or 256 with a few bytes. */
const floodWeight = 16 * 8 * 1024;
/** Least and most weight of a chunk; other chunks weigh their bytes. */
const [leastWeight, mostWeight] = [512, 8 * 1024];
/** Rest after a round that handed on bytes of such an account, as a multiple of its time, and the longest one in milliseconds. */
const [restFactor, longestRestMs] = [11, 160];

interface Waiting {
  readonly bytes: number;
  readonly weight: number;
  /** True when nobody waits any more. */
  readonly isOver: () => boolean;
  readonly go: () => void;
}

interface Account {
  waiting: Waiting[];
  /** Weight of what waits. */
  weight: number;
  /** It was a flood in this round, and stays one until the next. */
  isFlood: boolean;
}

/**
 * Shares the time of the process: servers that send as fast as they can must not take it from runs of others. Of each round of the event loop answers get
 * 64 KiB; accounts take turns. Accounts of which more waits than sixteen full chunks get two chunks of a round and about a twelfth of the time together: after each of their
 * rounds they rest for eleven times as long as it took, so that a run of another account mostly finds the process idle. Answers that come slowly never wait.
 */
export class AnswerPace {
  readonly #accounts = new Map<string, Account>();
  #taken = 0;
  #isRoundDue = false;
  /** Time at which the present round handed on bytes of a flood; undefined when it did not. */
  #floodedAtMs: number | undefined;
  /** Chunks of floods in the present round. */
  #flooded = 0;
  #restsUntilMs = 0;
  #isWakingDue = false;

  /** Undefined when the bytes may be handed on at once, else a promise for when they may. Those of an answer that is over meanwhile count no more. */
  turn(accountId: string, chunkBytes: number, isOver: () => boolean = () => false): Promise<void> | undefined {
    const bytes = Math.max(chunkBytes, leastBytes);
    const weight = Math.min(Math.max(chunkBytes, leastWeight), mostWeight);
    this.#dueRound();
    if (this.#accounts.size === 0 && this.#taken < bytesAtOnce) {
      this.#taken += bytes;
      return undefined;
    }
    return new Promise((go) => {
      const account: Account = this.#accounts.get(accountId) ?? { waiting: [], weight: 0, isFlood: false };
      this.#accounts.set(accountId, account);
      account.waiting.push({ bytes, weight, isOver, go });
      account.weight += weight;
      account.isFlood ||= isFlood(accountId, account);
    });
  }

  #dueRound(): void {
    if (this.#isRoundDue) return;
    this.#isRoundDue = true;
    setImmediate(() => this.#round());
  }

  #round(): void {
    this.#isRoundDue = false;
    this.#taken = 0;
    const nowMs = performance.now();
    if (this.#floodedAtMs !== undefined)
      this.#restsUntilMs = nowMs + Math.min(restFactor * (nowMs - this.#floodedAtMs), longestRestMs);
    this.#floodedAtMs = undefined;
    this.#flooded = 0;
    for (const entry of this.#accounts) this.#begin(...entry);
    while (this.#taken < bytesAtOnce) {
      const next = this.#next(nowMs);
      if (next === undefined) break;
      this.#handOn(...next, nowMs);
    }
    if (this.#taken > 0) this.#dueRound();
    else if (this.#accounts.size > 0) this.#wakeIn(this.#restsUntilMs - nowMs);
  }

  /** Begins a round of an account, without the answers that nobody waits for any more. */
  #begin(accountId: string, account: Account): void {
    const over = account.waiting.filter(({ isOver }) => isOver());
    for (const { weight, go } of over) {
      account.weight -= weight;
      go();
    }
    if (over.length > 0) account.waiting = account.waiting.filter(({ isOver }) => !isOver());
    if (account.waiting.length === 0) this.#accounts.delete(accountId);
    account.isFlood = isFlood(accountId, account);
  }

  /** To be called when all that waits rests. */
  #wakeIn(ms: number): void {
    if (this.#isWakingDue) return;
    this.#isWakingDue = true;
    setTimeout(() => {
      this.#isWakingDue = false;
      this.#dueRound();
    }, ms);
  }

  /** The first account that does not rest. */
  #next(nowMs: number): [string, Account] | undefined {
    const mayFlood = nowMs >= this.#restsUntilMs && this.#flooded < floodChunks;
    for (const entry of this.#accounts) if (mayFlood || !entry[1].isFlood) return entry;
    return undefined;
  }

  #handOn(accountId: string, account: Account, nowMs: number): void {
    if (account.isFlood) {
      this.#floodedAtMs = nowMs;
      this.#flooded += 1;
    }
    this.#accounts.delete(accountId);
    const first = account.waiting.shift();
    if (account.waiting.length > 0) this.#accounts.set(accountId, account);
    if (first === undefined) return;
    account.weight -= first.weight;
    this.#taken += first.bytes;
    first.go();
  }
}

/** Answers that count for no account come from servers of the operator, for many accounts: those never rest. */
function isFlood(accountId: string, { weight }: Account): boolean {
  return accountId !== '' && weight > floodWeight;
}
