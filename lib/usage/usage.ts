import type { Database } from '../pg/index.ts';

export interface UsageOptions {
  readonly db: Database;
  /** A table of the service that has rows of an account, by `account_id`, as long as something of it is counted. */
  readonly heldBy: string;
}

interface Entry {
  /** Sum that all processes had written at the last `sync`. */
  readonly totals: Map<string, number>;
  /** Change that this process has not written yet. */
  readonly changes: Map<string, number>;
  usedAtMs: number;
}

/** Time after which an account that is not used is forgotten, and most accounts that are remembered. */
const idleMs = 600_000;
const remembered = 100_000;

/**
 * How much an account has, by kind, without a statement on the way of a request: changes are counted in memory, and `sync` adds them every few seconds
 * to the table `usage` of the service's schema and reads what the others have added. So `of` is too low by what other processes have
 * added since the last `sync`, and by everything before the first one. A process that dies loses the changes since its last `sync`.
 *
 *     create table usage (account_id uuid not null, kind text not null, number bigint not null, primary key (account_id, kind));
 */
export class Usage<Kind extends string> {
  readonly #db: Database;
  readonly #accounts = new Map<string, Entry>();
  readonly #add;
  readonly #removeUnheld;

  constructor({ db, heldBy }: UsageOptions) {
    this.#db = db;
    const holds = `exists (select from ${heldBy} h where h.account_id = u.account_id)`;
    // In the order of the key, so that processes never deadlock.
    this.#add = {
      name: 'add-usage',
      text: `insert into usage as t (account_id, kind, number)
        select u.account_id, u.kind, u.number from unnest($1::uuid[], $2::text[], $3::bigint[]) as u(account_id, kind, number)
        where ${holds} order by u.account_id, u.kind
        on conflict (account_id, kind) do update set number = t.number + excluded.number`,
    };
    this.#removeUnheld = {
      name: 'remove-unheld-usage',
      text: `delete from usage u where u.account_id = any($1::uuid[]) and not ${holds}`,
    };
  }

  /** How much of a kind the account has, as far as this process knows. */
  of(accountId: string, kind: Kind): number {
    const { totals, changes } = this.#entry(accountId);
    return Math.max(0, (totals.get(kind) ?? 0) + (changes.get(kind) ?? 0));
  }

  /** Counts a change that was committed. */
  add(accountId: string, change: Partial<Record<Kind, number>>): void {
    const { changes } = this.#entry(accountId);
    for (const [kind, number] of Object.entries<number | undefined>(change)) {
      if (number !== undefined && number !== 0) changes.set(kind, (changes.get(kind) ?? 0) + number);
    }
  }

  /** Writes the changes of this process and reads what all have written. When it fails, the changes are kept for the next time. */
  async sync(): Promise<void> {
    this.#forgetIdle();
    const accountIds = [...this.#accounts.keys()];
    if (accountIds.length === 0) return;
    await this.#write();
    await this.#db.query(this.#removeUnheld, [accountIds]);
    const text = 'select account_id as "accountId", kind, number from usage where account_id = any($1::uuid[])';
    const rows = await this.#db.query<{ accountId: string; kind: string; number: bigint }>(
      { name: 'read-usage', text },
      [accountIds],
    );
    for (const accountId of accountIds) this.#accounts.get(accountId)?.totals.clear();
    for (const { accountId, kind, number } of rows) this.#accounts.get(accountId)?.totals.set(kind, Number(number));
  }

  async #write(): Promise<void> {
    const rows = [...this.#accounts].flatMap(([accountId, { changes }]) =>
      [...changes].map(([kind, number]) => ({ accountId, kind, number })),
    );
    if (rows.length === 0) return;
    await this.#db.query(this.#add, [
      rows.map(({ accountId }) => accountId),
      rows.map(({ kind }) => kind),
      rows.map(({ number }) => number),
    ]);
    for (const { accountId, kind, number } of rows) this.#settle(accountId, kind, number);
  }

  /** Moves what was written from the changes to the totals. More may have come meanwhile. */
  #settle(accountId: string, kind: string, number: number): void {
    const { totals, changes } = this.#entry(accountId);
    const left = (changes.get(kind) ?? 0) - number;
    if (left === 0) changes.delete(kind);
    else changes.set(kind, left);
    totals.set(kind, (totals.get(kind) ?? 0) + number);
  }

  #entry(accountId: string): Entry {
    const entry = this.#accounts.get(accountId);
    if (entry !== undefined) {
      entry.usedAtMs = Date.now();
      return entry;
    }
    const fresh = { totals: new Map<string, number>(), changes: new Map<string, number>(), usedAtMs: Date.now() };
    this.#accounts.set(accountId, fresh);
    return fresh;
  }

  #forgetIdle(): void {
    const longAgo = Date.now() - idleMs;
    for (const [accountId, { changes, usedAtMs }] of this.#accounts) {
      const isSurplus = this.#accounts.size > remembered;
      if (changes.size === 0 && (usedAtMs < longAgo || isSurplus)) this.#accounts.delete(accountId);
    }
  }
}
