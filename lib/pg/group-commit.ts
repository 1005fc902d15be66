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
/** Values of a statement above which it would hold up those beside it, in bytes. */
const largestTogether = 64 * 1024;
/** So long a row that somebody else has locked may hold up a transaction; then who waits for it goes on alone. */
const lockTimeoutMs = 100;
/** The same while others wait alone: more will come for the rows that they wait for. */
const knownLockTimeoutMs = 5;
const lockNotAvailable = '55P03';
/** `set local` would warn of each transaction that it begins. */
const shortLockTimeout = bindStatement({
  name: 'short-lock-timeout',
  text: `select set_config('lock_timeout', '${knownLockTimeoutMs}ms', true)`,
});
/** The longest that a caller waits. A server that has not answered by then counts as lost, because all writes would wait for it. */
const answerTimeoutMs = 30_000;

interface Waiting extends BoundStatement {
  readonly resolve: (rows: QueryResultRow[]) => void;
  readonly reject: (error: Error) => void;
  /** Runs it by itself. Settles with it, and never rejects. */
  readonly retry: () => Promise<void>;
}

interface Session {
  readonly client: pg.Client;
  readonly prepared: Prepared;
}

/**
 * One connection for short writes, which commit together: those that come while a commit is under way are the next transaction.
 * A flush to disk costs a machine more than such a write, so the busier a service is, the less a write costs.
 *
 * No statement is refused for what another one did: when a transaction fails, the statement that it failed at is run alone, and the
 * others are committed together again.
 */
export class GroupCommit implements AsyncDisposable {
  readonly #options: GroupCommitOptions;
  readonly #waiting: Waiting[] = [];
  /** Others of a transaction that failed. New ones come after them, so what a transaction waits for locks is bounded by its size. */
  readonly #again: Waiting[] = [];
  readonly #aside = new Set<Promise<void>>();
  #session: Session | undefined;
  #committing: Promise<void> | undefined;
  #ended = false;
  /** Those that wait alone for a row that somebody has locked. */
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

  /** Undefined when no connection can be had: all who wait for it have been told. */
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
    // The server may know a statement no longer as it was prepared.
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
