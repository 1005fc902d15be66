import type { Wake } from '@agentmesh/lib/wait';

export interface FairTurnsOptions<Item> {
  /** Items that one replica acts on at the same time. */
  readonly mostAtOnce: number;
  /** Most of them of one account, while at least half of the places are free. Then each account that has none gets one. */
  readonly mostOfAccount: number;
  /** Accounts that have something due, those first whose turn it is, without `busy` ones. */
  readonly findAccounts: (asked: {
    readonly busy: readonly string[];
    readonly limit: number;
  }) => Promise<readonly string[]>;
  /** Claims what is due of one account. */
  readonly take: (accountId: string, limit: number) => Promise<readonly Item[]>;
  /** Acts on what was claimed. Never rejects. */
  readonly act: (item: Item) => Promise<void>;
  /** Woken when there is room for something that may have been left. */
  readonly wake: Pick<Wake, 'wake'>;
  /** Aborts when no more work may begin. */
  readonly signal: AbortSignal;
}

/**
 * Work that is due, of which accounts take turns: what one account does, or what hangs of it, holds up its own work only. Nothing waits for the others of
 * its batch. Any number of replicas may do this at once.
 */
export class FairTurns<Item> {
  readonly #options: FairTurnsOptions<Item>;
  readonly #running = new Set<Promise<void>>();
  readonly #inHand = new Map<string, number>();
  /** The latest look may have left something, for lack of room. */
  #hasLeft = false;

  constructor(options: FairTurnsOptions<Item>) {
    this.#options = options;
  }

  /** Begins what is due, as far as there is room. Returns the number. */
  async begin(): Promise<number> {
    const { findAccounts, signal } = this.#options;
    let begun = 0;
    while (this.#room > 0 && !signal.aborted) {
      const accounts = await findAccounts({ busy: this.#busy, limit: this.#room });
      let taken = 0;
      for (const accountId of accounts) taken += await this.#beginOf(accountId);
      if (taken === 0) break;
      begun += taken;
    }
    this.#hasLeft = this.#room === 0 || this.#busy.length > 0;
    return begun;
  }

  /** Resolves when nothing is due and nothing is under way. */
  async settle(): Promise<void> {
    do await this.end();
    while ((await this.begin()) > 0);
  }

  /** Resolves when what is under way has ended. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
  }

  get #room(): number {
    return this.#options.mostAtOnce - this.#running.size;
  }

  /** How much an account may have in hand. */
  get #mostOfAccount(): number {
    const { mostAtOnce, mostOfAccount } = this.#options;
    return this.#running.size * 2 < mostAtOnce ? mostOfAccount : 1;
  }

  /** An account gets more when half of what it may have is done, so that one claim takes several. */
  #isBusy(accountId: string): boolean {
    return (this.#inHand.get(accountId) ?? 0) * 2 > this.#mostOfAccount;
  }

  get #busy(): string[] {
    return [...this.#inHand.keys()].filter((accountId) => this.#isBusy(accountId));
  }

  async #beginOf(accountId: string): Promise<number> {
    const limit = Math.min(this.#room, this.#mostOfAccount - (this.#inHand.get(accountId) ?? 0));
    if (limit <= 0 || this.#options.signal.aborted) return 0;
    const items = await this.#options.take(accountId, limit);
    for (const item of items) this.#start(accountId, item);
    return items.length;
  }

  #start(accountId: string, item: Item): void {
    const { act, wake } = this.#options;
    this.#inHand.set(accountId, (this.#inHand.get(accountId) ?? 0) + 1);
    const acting = act(item).finally(() => {
      this.#running.delete(acting);
      const left = (this.#inHand.get(accountId) ?? 1) - 1;
      if (left > 0) this.#inHand.set(accountId, left);
      else this.#inHand.delete(accountId);
      if (this.#hasLeft && !this.#isBusy(accountId)) wake.wake();
    });
    this.#running.add(acting);
  }
}
