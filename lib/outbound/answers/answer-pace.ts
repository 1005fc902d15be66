/** Bytes of answers that are handed on before other work of the process gets its turn: they cost about a millisecond. */
const bytesAtOnce = 64 * 1024;

interface Waiting {
  readonly bytes: number;
  readonly go: () => void;
}

/**
 * Shares the time of the process: servers that send as fast as they can must not take it from runs of others. Of each round of the event loop answers get
 * 64 KiB; accounts take turns. Answers that come slowly never wait.
 */
export class AnswerPace {
  readonly #accounts = new Map<string, Waiting[]>();
  #taken = 0;
  #isRoundDue = false;

  /** Undefined when the bytes may be handed on at once, else a promise for when they may. */
  turn(accountId: string, bytes: number): Promise<void> | undefined {
    this.#dueRound();
    if (this.#accounts.size === 0 && this.#taken < bytesAtOnce) {
      this.#taken += bytes;
      return undefined;
    }
    return new Promise((go) => {
      const waiting = this.#accounts.get(accountId) ?? [];
      this.#accounts.set(accountId, waiting);
      waiting.push({ bytes, go });
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
    while (this.#taken < bytesAtOnce) {
      const [next] = this.#accounts;
      if (next === undefined) return;
      const [accountId, waiting] = next;
      this.#accounts.delete(accountId);
      const first = waiting.shift();
      if (waiting.length > 0) this.#accounts.set(accountId, waiting);
      this.#taken += first?.bytes ?? 0;
      first?.go();
    }
    if (this.#accounts.size > 0) this.#dueRound();
  }
}
