import type { Database } from '../pg/index.ts';

export interface UsageOptions {
  readonly db: Database;
  /** Tables of the service, by `account_id`: one of them has a row of an account as long as something of it is counted. */
  readonly heldBy: readonly string[];
}

interface Entry {
  /** Sum that all processes had written at the last `sync`. */
  readonly totals: Map<string, number>;
  /** Change that this process has not written yet. */
  readonly changes: Map<string, number>;
  /** Names of what this process is storing at the moment, by kind, and how many calls store it. */
  readonly coming: Map<string, Map<string, number>>;
  /** Sum of what this process is storing at the moment, by kind. Sums of nothing stay: each run adds and takes away, and a map that loses entries makes new tables. */
  readonly held: Map<string, number>;
  usedAtMs: number;
}

interface Wanted<Kind> {
  readonly kind: Kind;
  readonly names: readonly string[];
  readonly most: number;
}

/** Time after which an account that is not used is forgotten, and most accounts that are remembered. */
const idleMs = 600_000;
const remembered = 100_000;
/** Changes by other processes are read for accounts that were used in this time. */
const readMs = 30_000;
/** Accounts whose changes are written together. */
const together = 256;

/**
 * How much an account has, by kind, without a statement on the way of a request: changes are counted in memory, and `sync` adds them every few seconds
 * to the table `usage` of the service's schema and reads what the others have added. So `of` is too low by what other processes have
 * added since the last `sync`, and by everything before the first one. A process that is killed loses the changes since its last `sync`; one that stops writes them: see `startSyncUsage`.
 *
 *     create table usage (account_id uuid not null, kind text not null, number bigint not null, primary key (account_id, kind));
 *
 *     using room = usage.take(accountId, { kind: 'sessions', names: [session.id], most });
 *     if (room === undefined) throw tooMany();
 *     await insertSession(db, session);
 *     usage.add(accountId, { sessions: 1 });
 *
 * Calls of one process see each other at once; those of several processes may pass such a check until the next `sync`. A limit that must be exact over all
 * processes belongs into the statement that writes.
 */
export class Usage<Kind extends string> {
  readonly #db: Database;
  readonly #accounts = new Map<string, Entry>();
  /** Time of the last `sync`: reading the clock costs more than what is counted. */
  #nowMs = performance.now();
  readonly #add;
  readonly #read;
  readonly #removeUnheld;

  constructor({ db, heldBy }: UsageOptions) {
    this.#db = db;
    // A look-up: of `exists` PostgreSQL may make a join with all rows of the table.
    const looks = (accountId: string): string[] =>
      heldBy.map((table) => `(select true from ${table} h where h.account_id = ${accountId} limit 1)`);
    const holds = (accountId: string): string => `coalesce(${looks(accountId).join(', ')}, false)`;
    // In the order of the key, so that processes never deadlock.
    this.#add = {
      name: 'add-usage',
      groupCommit: true,
      text: `insert into usage as t (account_id, kind, number)
        select $1, u.kind, u.number from unnest($2::text[], $3::bigint[]) as u(kind, number) where ${holds('$1')} order by u.kind
        on conflict (account_id, kind) do update set number = t.number + excluded.number`,
    };
    this.#read = {
      name: 'read-usage',
      text: `select u.account_id as "accountId", u.kind, u.number, ${holds('u.account_id')} as "isHeld"
        from usage u where u.account_id = any($1::uuid[])`,
    };
    this.#removeUnheld = {
      name: 'remove-unheld-usage',
      text: `delete from usage where account_id = $1 and not ${holds('$1')}`,
    };
  }

  /** How much of a kind the account has, as far as this process knows. */
  of(accountId: string, kind: Kind): number {
    const { totals, changes, coming, held } = this.#entry(accountId);
    const stored = Math.max(0, (totals.get(kind) ?? 0) + (changes.get(kind) ?? 0));
    return stored + (coming.get(kind)?.size ?? 0) + (held.get(kind) ?? 0);
  }

  /**
   * Room for what is about to be stored: it counts in `of` until it is disposed, each name once, whatever number of calls store it. Call `add` before that for what
   * was stored. Undefined when the account would have more than `most`.
   */
  take(accountId: string, { kind, names, most }: Wanted<Kind>): Disposable | undefined {
    const { coming } = this.#entry(accountId);
    const counts = coming.get(kind) ?? new Map<string, number>();
    const fresh = names.filter((name) => !counts.has(name));
    if (fresh.length > 0 && this.of(accountId, kind) + fresh.length > most) return undefined;
    coming.set(kind, counts);
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    return { [Symbol.dispose]: () => names.forEach((name) => leave(counts, name)) };
  }

  /** Counts what is about to be stored in `of` until it is disposed, without a limit: ask `of` just before. Call `add` just before it is disposed for what was stored. */
  hold(accountId: string, change: Partial<Record<Kind, number>>): Disposable {
    const { held } = this.#entry(accountId);
    addTo(held, change, 1);
    return { [Symbol.dispose]: () => addTo(held, change, -1) };
  }

  /** Counts a change that was committed. */
  add(accountId: string, change: Partial<Record<Kind, number>>): void {
    const { changes } = this.#entry(accountId);
    addTo(changes, change, 1);
    for (const kind in change) if (changes.get(kind) === 0) changes.delete(kind);
  }

  /** Writes the changes of this process and reads what all have written. When it fails, the changes are kept for the next time. */
  async sync(): Promise<void> {
    this.#nowMs = performance.now();
    this.#forgetIdle();
    const since = performance.now() - readMs;
    const isUsed = ({ usedAtMs, changes }: Entry): boolean => usedAtMs > since || changes.size > 0;
    const accountIds = [...this.#accounts].filter(([, entry]) => isUsed(entry)).map(([accountId]) => accountId);
    if (accountIds.length === 0) return;
    await this.#write();
    const rows = await this.#db.query<{ accountId: string; kind: string; number: bigint; isHeld: boolean }>(
      this.#read,
      [accountIds],
    );
    const held = rows.filter(({ isHeld }) => isHeld);
    for (const accountId of accountIds) this.#accounts.get(accountId)?.totals.clear();
    for (const { accountId, kind, number } of held) this.#accounts.get(accountId)?.totals.set(kind, Number(number));
    const unheld = new Set(rows.filter(({ isHeld }) => !isHeld).map(({ accountId }) => accountId));
    for (const accountId of unheld) await this.#db.query(this.#removeUnheld, [accountId]);
  }

  /** A statement for each account. They commit together, in the order of the accounts. */
  async #write(): Promise<void> {
    const changed = [...this.#accounts].filter(([, { changes }]) => changes.size > 0);
    const sorted = changed.toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (let from = 0; from < sorted.length; from += together)
      await Promise.all(sorted.slice(from, from + together).map(([id, { changes }]) => this.#writeOf(id, changes)));
  }

  async #writeOf(accountId: string, changes: ReadonlyMap<string, number>): Promise<void> {
    const rows = [...changes];
    await this.#db.query(this.#add, [accountId, rows.map(([kind]) => kind), rows.map(([, number]) => number)]);
    for (const [kind, number] of rows) this.#settle(accountId, kind, number);
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
      entry.usedAtMs = this.#nowMs;
      return entry;
    }
    const fresh = {
      totals: new Map<string, number>(),
      changes: new Map<string, number>(),
      coming: new Map<string, Map<string, number>>(),
      held: new Map<string, number>(),
      usedAtMs: this.#nowMs,
    };
    this.#accounts.set(accountId, fresh);
    return fresh;
  }

  #forgetIdle(): void {
    const longAgo = performance.now() - idleMs;
    for (const [accountId, { changes, coming, held, usedAtMs }] of this.#accounts) {
      const isSurplus = this.#accounts.size > remembered;
      const isStoring = held.values().some((number) => number !== 0) || coming.values().some(({ size }) => size > 0);
      if (changes.size === 0 && !isStoring && (usedAtMs < longAgo || isSurplus)) this.#accounts.delete(accountId);
    }
  }
}

/** Adds `factor` times the numbers. */
function addTo(sums: Map<string, number>, numbers: Partial<Record<string, number>>, factor: 1 | -1): void {
  for (const kind in numbers) sums.set(kind, (sums.get(kind) ?? 0) + factor * (numbers[kind] ?? 0));
}

function leave(counts: Map<string, number>, name: string): void {
  const left = (counts.get(name) ?? 0) - 1;
  if (left > 0) counts.set(name, left);
  else counts.delete(name);
}
