import { setImmediate as endOfTurn } from 'node:timers/promises';
import pg, { type QueryConfig, type QueryResultRow } from 'pg';
import { WatchedClient, type WatchedConfig } from '../connection/index.ts';
import { databaseBusy, isConnectionLoss, toDatabaseError, toOutcomeError } from './database-error.ts';
import {
  type BatchOutcome,
  type BoundStatement,
  bindStatement,
  type Prepared,
  StatementBatch,
} from './statement-batch.ts';
import type { Timeline } from './timeline.ts';
import { type TransactionSettings, transactionSettings } from './transaction-settings.ts';
import type { Until } from './until.ts';
import { WaitingLines } from './waiting-lines.ts';

export interface GroupCommitOptions {
  readonly connection: WatchedConfig;
  /** Runs a statement in a transaction of its own, unless `until` is over before it can be sent. */
  readonly alone: <Row extends QueryResultRow>(config: QueryConfig, until?: Until) => Promise<Row[]>;
  /** Called when a connection breaks. */
  readonly onLost: (error: Error) => void;
  /** Settings of each transaction, where sessions have none. */
  readonly settings: TransactionSettings;
  /** Is told of the server that has answered, where sessions have no settings. */
  readonly timeline: Timeline;
}

const mostTogether = 64;
/** Statements of one account in a transaction, where those of others wait too: each statement waits for all of its transaction. */
const mostBesideOthers = 8;
/** Statements that may wait. */
const mostWaiting = 10_000;
/** Pause in milliseconds between looks for waiting statements whose callers have left. */
const lookMs = 50;
/** Size in bytes above which the values of a statement would delay the others; such a statement runs alone. */
const largestTogether = 64 * 1024;
/** Time that a row lock of another transaction may delay a transaction. Then the waiting statement is run alone. */
const lockTimeoutMs = 100;
/** The same limit while statements wait alone for locked rows: more statements for these rows will come. */
const knownLockTimeoutMs = 5;
const lockNotAvailable = '55P03';
const shortLockTimeout = transactionSettings([`lock_timeout=${knownLockTimeoutMs}ms`]).statements;
const usualLockTimeout = transactionSettings([`lock_timeout=${lockTimeoutMs}ms`]).statements;

/** For whom a statement is sent. */
interface Sent {
  readonly until?: Until | undefined;
  /** Account whose rows it writes; those of several accounts take turns. */
  readonly accountId?: string | undefined;
}

interface Waiting extends BoundStatement {
  readonly config: QueryConfig;
  readonly until: Until | undefined;
  readonly resolve: (rows: QueryResultRow[]) => void;
  readonly reject: (error: Error) => void;
}

interface Session {
  readonly client: WatchedClient;
  readonly prepared: Prepared;
}

/**
 * One connection for short writes, which commit together: statements that arrive during a commit form the next transaction. A
 * flush to disk costs more than such a write, so a write costs less the busier a service is.
 *
 * A statement never fails because of another one: when a transaction fails, the failed statement is run alone, and the others
 * are committed together again.
 */
export class GroupCommit implements AsyncDisposable {
  readonly #options: GroupCommitOptions;
  readonly #waiting = new WaitingLines<Waiting>();
  /** The other statements of a failed transaction. New ones wait behind them, so the size of a transaction bounds its waits for locks. */
  readonly #again: Waiting[] = [];
  readonly #aside = new Set<Promise<void>>();
  #session: Session | undefined;
  #committing: Promise<void> | undefined;
  #ended = false;
  /** Number of statements that wait alone for a locked row. */
  #heldUp = 0;
  #look: NodeJS.Timeout | undefined;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  get #isPooled(): boolean {
    return this.#options.settings.statements.length > 0;
  }

  /** Resolves when the statement is committed. It is dropped when `until` is over before it was sent. */
  query<Row extends QueryResultRow>(
    config: QueryConfig & { readonly name: string },
    { until, accountId = '' }: Sent = {},
  ): Promise<Row[]> {
    return new Promise<Row[]>((resolve, reject) => {
      const { text, values = [] } = config;
      const name = this.#isPooled ? '' : config.name;
      const { bind } = bindStatement({ name, text, values });
      const waiting = { name, text, bind, config, until, resolve: resolve as Waiting['resolve'], reject };
      if (bind.length > largestTogether) return void this.#runAlone(waiting);
      if (this.#waiting.size >= mostWaiting) throw databaseBusy();
      this.#waiting.push(accountId, waiting);
      this.#committing ??= this.#commitWaiting();
      if (until !== undefined) this.#look ??= setTimeout(() => this.#dropLeft(), lookMs);
    });
  }

  /** Runs a statement alone. Settles with it and never rejects. */
  #runAlone({ config, until, resolve, reject }: Waiting): Promise<void> {
    const run = this.#options.alone(config, until).then(resolve, reject);
    this.#aside.add(run);
    void run.then(() => this.#aside.delete(run));
    return run;
  }

  async #commitWaiting(): Promise<void> {
    await endOfTurn();
    while (this.#again.length > 0 || this.#waiting.size > 0) {
      const session = this.#session ?? (await this.#openOrRefuse());
      if (session === undefined) continue;
      const batch = this.#nextBatch().filter(isWanted);
      if (batch.length > 0) await this.#commit(session, batch);
    }
    this.#committing = undefined;
  }

  #nextBatch(): readonly Waiting[] {
    return this.#again.length > 0 ? this.#again.splice(0) : this.#waiting.take(mostTogether, mostBesideOthers);
  }

  /** Drops waiting statements whose callers have left, also while the server does not answer. */
  #dropLeft(): void {
    this.#again.splice(0, Infinity, ...this.#again.filter(isWanted));
    this.#waiting.keep(isWanted);
    this.#look = this.#waiting.size > 0 ? setTimeout(() => this.#dropLeft(), lookMs) : undefined;
  }

  /** Opens a session; undefined when there is no connection: then all waiting statements have been rejected. */
  async #openOrRefuse(): Promise<Session | undefined> {
    try {
      this.#session = await this.#open();
    } catch (error) {
      const waiting = [...this.#again.splice(0), ...this.#waiting.take(Infinity, Infinity)];
      for (const statement of waiting) statement.reject(toDatabaseError(error));
    }
    return this.#session;
  }

  async #commit(session: Session, batch: readonly Waiting[]): Promise<void> {
    const before = this.#before();
    const outcome = await send(session, [...before, ...batch]);
    if ('rows' in outcome) {
      if (this.#isPooled) this.#options.timeline.note(outcome.rows[0]?.[0]?.['timeline']);
      const rows = outcome.rows.slice(before.length);
      return batch.forEach((statement, index) => statement.resolve(rows[index] ?? []));
    }
    const { error, at } = outcome;
    if (isConnectionLoss(error)) return this.#giveUp(session, { batch, error });
    // The server may no longer have a statement as it was prepared.
    session.prepared.clear();
    const failed = batch[at - before.length];
    if (failed === undefined) return batch.forEach((statement) => void this.#runAlone(statement));
    this.#setAside(failed, error);
    this.#again.push(...batch.filter((statement) => statement !== failed));
  }

  #before(): readonly BoundStatement[] {
    const { statements } = this.#options.settings;
    if (this.#heldUp > 0) return [...statements, ...shortLockTimeout];
    return this.#isPooled ? [...statements, ...usualLockTimeout] : [];
  }

  #setAside(failed: Waiting, error: Error): void {
    const alone = this.#runAlone(failed);
    if (!(error instanceof pg.DatabaseError) || error.code !== lockNotAvailable) return;
    this.#heldUp += 1;
    void alone.then(() => (this.#heldUp -= 1));
  }

  #giveUp({ client }: Session, { batch, error }: { batch: readonly Waiting[]; error: unknown }): void {
    this.#session = undefined;
    client.end().catch(() => undefined);
    batch.forEach((statement) => statement.reject(toOutcomeError(error)));
  }

  async #open(): Promise<Session> {
    if (this.#ended) throw new Error('The database was closed.');
    const limits = this.#isPooled ? {} : { lock_timeout: lockTimeoutMs };
    const client = new WatchedClient({ ...this.#options.connection, ...limits });
    client.on('error', (error) => {
      if (this.#session?.client === client) this.#session = undefined;
      this.#options.onLost(error);
    });
    await client.connect();
    return { client, prepared: new Map() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#committing;
    clearTimeout(this.#look);
    this.#ended = true;
    await Promise.all(this.#aside);
    const session = this.#session;
    this.#session = undefined;
    await session?.client.end();
  }
}

/** Whether the caller of a statement still waits for it. Otherwise the statement is rejected. */
function isWanted({ until, reject }: Waiting): boolean {
  const failure = until?.over();
  if (failure !== undefined) reject(failure);
  return failure === undefined;
}

function send({ client, prepared }: Session, batch: readonly BoundStatement[]): Promise<BatchOutcome> {
  return new Promise((resolve) => client.query(new StatementBatch(batch, prepared, resolve)));
}
