import { setImmediate as endOfTurn } from 'node:timers/promises';
import pg, { type ClientConfig, type QueryConfig, type QueryResultRow } from 'pg';
import { isConnectionLoss, toDatabaseError } from './database-error.ts';
import {
  type BatchOutcome,
  type BoundStatement,
  bindStatement,
  type Prepared,
  StatementBatch,
} from './statement-batch.ts';

export interface GroupCommitOptions {
  readonly connection: ClientConfig;
  /** Runs a statement in a transaction of its own. */
  readonly alone: <Row extends QueryResultRow>(config: QueryConfig) => Promise<Row[]>;
  /** Called when a connection breaks. */
  readonly onLost: (error: Error) => void;
}

const mostTogether = 64;
/** Size in bytes above which the values of a statement would delay the others; such a statement runs alone. */
const largestTogether = 64 * 1024;
/** Time that a row lock of another transaction may delay a transaction. Then the waiting statement is run alone. */
const lockTimeoutMs = 100;
/** The same limit while statements wait alone for locked rows: more statements for these rows will come. */
const knownLockTimeoutMs = 5;
const lockNotAvailable = '55P03';
/** `set_config`, because `set local` would log a warning for each transaction that it begins. */
const shortLockTimeout = bindStatement({
  name: 'short-lock-timeout',
  text: `select set_config('lock_timeout', '${knownLockTimeoutMs}ms', true)`,
});
/** Longest wait of a caller. A server without an answer by then counts as lost, because all writes would wait for it. */
const answerTimeoutMs = 30_000;

interface Waiting extends BoundStatement {
  readonly resolve: (rows: QueryResultRow[]) => void;
  readonly reject: (error: Error) => void;
  /** Runs the statement alone. Settles with it and never rejects. */
  readonly retry: () => Promise<void>;
}

interface Session {
  readonly client: pg.Client;
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
  readonly #waiting: Waiting[] = [];
  /** The other statements of a failed transaction. New ones wait behind them, so the size of a transaction bounds its waits for locks. */
  readonly #again: Waiting[] = [];
  readonly #aside = new Set<Promise<void>>();
  #session: Session | undefined;
  #committing: Promise<void> | undefined;
  #ended = false;
  /** Number of statements that wait alone for a locked row. */
  #heldUp = 0;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Resolves when the statement is committed. */
  query<Row extends QueryResultRow>(config: QueryConfig & { readonly name: string }): Promise<Row[]> {
    return new Promise<Row[]>((resolve, reject) => {
      const statement = bindStatement(config);
      const retry = (): Promise<void> => {
        const run = this.#options.alone<Row>(config).then(resolve, reject);
        this.#aside.add(run);
        void run.then(() => this.#aside.delete(run));
        return run;
      };
      if (statement.bind.length > largestTogether) return void retry();
      this.#waiting.push({ ...statement, resolve: resolve as Waiting['resolve'], reject, retry });
      this.#committing ??= this.#commitWaiting();
    });
  }

  async #commitWaiting(): Promise<void> {
    await endOfTurn();
    while (this.#again.length > 0 || this.#waiting.length > 0) {
      const session = this.#session ?? (await this.#openOrRefuse());
      if (session !== undefined) await this.#commit(session, this.#nextBatch());
    }
    this.#committing = undefined;
  }

  #nextBatch(): readonly Waiting[] {
    return this.#again.length > 0 ? this.#again.splice(0) : this.#waiting.splice(0, mostTogether);
  }

  /** Opens a session; undefined when there is no connection: then all waiting statements have been rejected. */
  async #openOrRefuse(): Promise<Session | undefined> {
    try {
      this.#session = await this.#open();
    } catch (error) {
      const waiting = [...this.#again.splice(0), ...this.#waiting.splice(0)];
      for (const statement of waiting) statement.reject(toDatabaseError(error));
    }
    return this.#session;
  }

  async #commit(session: Session, batch: readonly Waiting[]): Promise<void> {
    const before = this.#heldUp > 0 ? [shortLockTimeout] : [];
    const outcome = await send(session, [...before, ...batch]);
    if ('rows' in outcome) {
      const rows = outcome.rows.slice(before.length);
      return batch.forEach((statement, index) => statement.resolve(rows[index] ?? []));
    }
    const { error, at } = outcome;
    if (isConnectionLoss(error)) return this.#giveUp(session, { batch, error });
    // The server may no longer have a statement as it was prepared.
    session.prepared.clear();
    const failed = batch[at - before.length];
    if (failed === undefined) return batch.forEach((statement) => void statement.retry());
    this.#setAside(failed, error);
    this.#again.push(...batch.filter((statement) => statement !== failed));
  }

  #setAside(failed: Waiting, error: Error): void {
    const alone = failed.retry();
    if (!(error instanceof pg.DatabaseError) || error.code !== lockNotAvailable) return;
    this.#heldUp += 1;
    void alone.then(() => (this.#heldUp -= 1));
  }

  #giveUp({ client }: Session, { batch, error }: { batch: readonly Waiting[]; error: unknown }): void {
    this.#session = undefined;
    client.end().catch(() => undefined);
    batch.forEach((statement) => statement.reject(toDatabaseError(error)));
  }

  async #open(): Promise<Session> {
    if (this.#ended) throw new Error('The database was closed.');
    const client = new pg.Client({ ...this.#options.connection, lock_timeout: lockTimeoutMs });
    client.on('error', (error) => {
      if (this.#session?.client === client) this.#session = undefined;
      this.#options.onLost(error);
    });
    await client.connect();
    return { client, prepared: new Map() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#committing;
    this.#ended = true;
    await Promise.all(this.#aside);
    await this.#session?.client.end();
  }
}

function send({ client, prepared }: Session, batch: readonly BoundStatement[]): Promise<BatchOutcome> {
  return new Promise((resolve) => {
    const late = setTimeout(() => {
      client.connection.stream.destroy(new Error(`PostgreSQL did not answer within ${answerTimeoutMs} ms.`));
    }, answerTimeoutMs);
    const done = (outcome: BatchOutcome): void => {
      clearTimeout(late);
      resolve(outcome);
    };
    client.query(new StatementBatch(batch, prepared, done));
  });
}
