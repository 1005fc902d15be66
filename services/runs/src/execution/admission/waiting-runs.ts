import type { SessionKey } from '@agentmesh/proto/sessions/v1';
import type { Viewer } from '../viewer.ts';

/** A run by the names that the bus and the ledger use. */
export interface RunName {
  readonly session: SessionKey;
  readonly invocationId: string;
}

/** A run that this process has accepted and not started. */
export interface WaitingRun extends RunName {
  /** Internal number of its session. */
  readonly sessionPk: bigint;
  /** Absent when nobody watches the run. */
  readonly viewer?: Viewer | undefined;
}

interface Entry {
  readonly run: WaitingRun;
  state: 'queued' | 'granted' | 'starting';
}

/** The runs of one account, in the order in which they were added. */
type Account = Map<string, Entry>;

/** Runs that wait for the turn of their session, or with the turn for room in this process. */
export class WaitingRuns {
  /** In the order in which the accounts have their turns. */
  readonly #accounts = new Map<string, Account>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Number of waiting runs of an account. */
  countOf(accountId: string): number {
    return this.#accounts.get(accountId)?.size ?? 0;
  }

  add(run: WaitingRun): void {
    const { accountId } = run.session;
    const account: Account = this.#accounts.get(accountId) ?? new Map<string, Entry>();
    if (!account.has(nameOf(run))) this.#size += 1;
    this.#accounts.set(accountId, account.set(nameOf(run), { run, state: 'queued' }));
  }

  /** Removes and returns a run. */
  take(run: RunName): WaitingRun | undefined {
    const entry = this.#find(run);
    if (entry === undefined) return undefined;
    const { accountId } = run.session;
    const account = this.#accounts.get(accountId);
    account?.delete(nameOf(run));
    if (account?.size === 0) this.#accounts.delete(accountId);
    this.#size -= 1;
    return entry.run;
  }

  has(run: RunName): boolean {
    return this.#find(run) !== undefined;
  }

  /** Whether a run waits and is not being started. */
  isIdle(run: RunName): boolean {
    const entry = this.#find(run);
    return entry !== undefined && entry.state !== 'starting';
  }

  /** Notes that a run has its turn, so that `next` may return it. Does nothing while it is being started. */
  grant(run: RunName): void {
    const entry = this.#find(run);
    if (entry?.state === 'queued') entry.state = 'granted';
  }

  /**
   * Returns a run that has its turn and whose account may start one; it counts as being started from then on. Accounts take turns, so the
   * runs of an account that has few do not wait behind all runs of another.
   */
  next(mayStart: (accountId: string) => boolean): WaitingRun | undefined {
    for (const [accountId, account] of this.#accounts) {
      const entry = mayStart(accountId) ? firstGranted(account) : undefined;
      if (entry === undefined) continue;
      entry.state = 'starting';
      this.#accounts.delete(accountId);
      this.#accounts.set(accountId, account);
      return entry.run;
    }
    return undefined;
  }

  /** To be called when a run that `next` has returned was not started. */
  putBack(run: RunName): void {
    const entry = this.#find(run);
    if (entry !== undefined) entry.state = 'queued';
  }

  /** Runs with an invocation id; the bus does not name their session. */
  find(accountId: string, invocationId: string): WaitingRun[] {
    return this.#entriesOf(accountId).flatMap(({ run }) => (run.invocationId === invocationId ? [run] : []));
  }

  /** Runs of a session that somebody watches. */
  watchedIn(accountId: string, sessionPk: bigint): WaitingRun[] {
    return this.#entriesOf(accountId).flatMap(({ run }) =>
      run.sessionPk === sessionPk && run.viewer !== undefined ? [run] : [],
    );
  }

  /** All runs that are not being started. */
  idle(): WaitingRun[] {
    return this.#all().flatMap(({ run, state }) => (state === 'starting' ? [] : [run]));
  }

  /** Sends all viewers elsewhere. Their runs are durable; another process executes them. */
  leaveAll(): void {
    const all = this.#all();
    this.#accounts.clear();
    this.#size = 0;
    for (const { run } of all) run.viewer?.leaveToOther();
  }

  #find(run: RunName): Entry | undefined {
    return this.#accounts.get(run.session.accountId)?.get(nameOf(run));
  }

  #entriesOf(accountId: string): Entry[] {
    return [...(this.#accounts.get(accountId)?.values() ?? [])];
  }

  #all(): Entry[] {
    return [...this.#accounts.keys()].flatMap((accountId) => this.#entriesOf(accountId));
  }
}

function firstGranted(account: Account): Entry | undefined {
  for (const entry of account.values()) if (entry.state === 'granted') return entry;
  return undefined;
}

function nameOf({ session, invocationId }: RunName): string {
  return JSON.stringify([session.appName, session.userId, session.sessionId, invocationId]);
}
