import type { CustomTypesConfig, Pool, PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { lengthen, longStatementMs } from './connection/index.ts';
import type { Database, Statement, Transaction } from './database.ts';
import {
  acquire,
  type Caller,
  checkWanted,
  type GroupCommit,
  isChange,
  type Pipeline,
  rethrow,
  type Timeline,
  toDatabaseError,
  toOutcomeError,
  type TransactionSettings,
  type Until,
  untilCallerLeaves,
} from './sending/index.ts';
import { MeshError } from '../rpc/index.ts';
import { endWith, isTracing, requestContext, startClientSpan } from '../telemetry/index.ts';
import { withinDeadline } from '../wait/index.ts';

const PING_TIMEOUT_MS = 2_000;

interface Connections {
  readonly pipeline: Pipeline;
  readonly groupCommit: GroupCommit;
  readonly pool: Pool;
  /** Connections past a pooler, for what it cannot carry; without a pooler those of `pool`. */
  readonly direct: Pool;
  /** Set in each transaction of `pool`. */
  readonly settings: TransactionSettings;
  readonly ownsSchema: boolean;
  readonly timeline: Timeline;
}

/**
 * A Database: single statements through the pipeline or the group commit, transactions through the pool. Disposing waits for
 * work in flight.
 */
export function createDatabase(connections: Connections): Database {
  return new PgDatabase(connections);
}

/** A class: `within` makes one for each call of a service. */
class PgDatabase implements Database {
  readonly #connections: Connections;
  readonly #until: Until | undefined;

  constructor(connections: Connections, until?: Until) {
    this.#connections = connections;
    this.#until = until;
  }

  get ownsSchema(): boolean {
    return this.#connections.ownsSchema;
  }

  get timeline(): string {
    return this.#connections.timeline.current;
  }

  query<Row extends QueryResultRow>(
    statement: Statement,
    values?: readonly unknown[],
    accountId?: string,
  ): Promise<Row[]> {
    const span = isTracing() ? startClientSpan(statementSpan(statement)) : undefined;
    const rows = this.#send<Row>(statement, values, accountId);
    return span === undefined ? rows : endWith(span, rows);
  }

  #send<Row extends QueryResultRow>(
    statement: Statement,
    values: readonly unknown[] | undefined,
    accountId: string | undefined,
  ): Promise<Row[]> {
    const { groupCommit, pipeline } = this.#connections;
    const until = this.#until;
    const config = toConfig(statement, values);
    const rows: Promise<Row[]> =
      statement.groupCommit && isNamed(config)
        ? groupCommit.query(config, { until, accountId })
        : pipeline.query(config, until);
    return followed(rows, until, isChange(config));
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const until = this.#until;
    const span = startClientSpan(transactionSpan);
    const done = followed(runTransaction(this.#connections, work, { until }), until, true);
    return span === undefined ? done : endWith(span, done);
  }

  within(caller: Caller): Database {
    return new PgDatabase(this.#connections, untilCallerLeaves(caller));
  }

  forLongWork(): Database {
    return new LongWork(this.#connections, this.#until);
  }

  runScript(text: string, types?: CustomTypesConfig): Promise<QueryResultRow[]> {
    return runScript(this.#connections, text, types);
  }

  ping(): Promise<void> {
    return ping(this.#connections.pipeline);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { groupCommit, pipeline, pool, direct } = this.#connections;
    // Its statements may go on to the pool.
    await groupCommit[Symbol.asyncDispose]();
    await Promise.all([pipeline[Symbol.asyncDispose](), ...Array.from(new Set([pool, direct]), (one) => one.end())]);
  }
}

const system = { 'db.system.name': 'postgresql' };
const transactionSpan = { name: 'transaction', attributes: system };

/** The name of a statement, never its text. */
function statementSpan({ name, text }: Statement) {
  const summary = name ?? /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? 'statement';
  return { name: summary, attributes: { ...system, 'db.query.summary': summary } };
}

/** The same database with the long limits, for transactions and single statements, each of which is a transaction of its own. */
class LongWork extends PgDatabase {
  readonly #own: Connections;
  readonly #until: Until | undefined;

  constructor(connections: Connections, until: Until | undefined) {
    super(connections, until);
    this.#own = connections;
    this.#until = until;
  }

  override query<Row extends QueryResultRow>(statement: Statement, values?: readonly unknown[]): Promise<Row[]> {
    return this.transaction((tx) => tx.query<Row>(statement, values));
  }

  override transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return followed(runTransaction(this.#own, work, { until: this.#until, isLong: true }), this.#until, true);
  }
}

/**
 * The same work. Its time counts for the request that is being handled; its error does not say that nothing was stored when other work of the caller was. One
 * promise for both, since each statement of a run is followed.
 */
function followed<T>(work: Promise<T>, until: Until | undefined, isChange: boolean): Promise<T> {
  const spent = requestContext.getStore()?.spent;
  if (spent === undefined && until === undefined) return work;
  const startedAt = performance.now();
  return work.then(
    (result) => {
      if (spent !== undefined) spent.database += performance.now() - startedAt;
      if (isChange) until?.committed();
      return result;
    },
    (error: unknown) => {
      if (spent !== undefined) spent.database += performance.now() - startedAt;
      throw until === undefined ? error : until.told(error);
    },
  );
}

function toConfig(statement: Statement, values: readonly unknown[] | undefined): QueryConfig {
  const config: QueryConfig = { text: statement.text };
  if (statement.name !== undefined) config.name = statement.name;
  // pg reads the values and never writes them.
  if (values !== undefined) config.values = values as unknown[];
  if (statement.types !== undefined) config.types = statement.types;
  return config;
}

function isNamed(config: QueryConfig): config is QueryConfig & { name: string } {
  return config.name !== undefined;
}

interface TransactionOptions {
  readonly until?: Until | undefined;
  /** Whether its statements have the long limits. */
  readonly isLong?: boolean;
}

async function runTransaction<T>(
  { pool, settings, timeline }: Connections,
  work: (tx: Transaction) => Promise<T>,
  { until, isLong = false }: TransactionOptions = {},
): Promise<T> {
  const client = await acquire(pool, until);
  let broken = false;
  try {
    client.isPatient = isLong;
    const first = settings.script + (isLong ? lengthen : '');
    await client.query(first === '' ? 'begin' : `begin;${first}`).catch(rethrow);
    const result = await work({
      client,
      timeline: timeline.current,
      query: (statement, values) => queryOn(client, toConfig(statement, values)),
    });
    checkWanted(until);
    await client.query('commit').catch((error: unknown) => {
      throw toOutcomeError(error);
    });
    return result;
  } catch (error) {
    broken = isDatabaseLost(error) || !(await rolledBack(client));
    throw error;
  } finally {
    client.isPatient = false;
    client.release(broken);
  }
}

function isDatabaseLost(error: unknown): boolean {
  return error instanceof MeshError && error.reason === 'database_unavailable';
}

/**
 * Runs the text with the long limit: libraries send their migrations like this, which wait for each other. The limit travels with the text, because
 * libraries that poll send scripts all the time, and the limit would be two more transactions. Only `create index concurrently` and its kin may not share
 * a message with other statements.
 */
async function runScript(
  { pool, direct, settings }: Connections,
  text: string,
  types?: CustomTypesConfig,
): Promise<QueryResultRow[]> {
  const isAlone = /\bconcurrently\b/i.test(text);
  const client = await acquire(isAlone ? direct : pool, undefined);
  let broken = true;
  try {
    client.isPatient = true;
    const limit = `set statement_timeout = ${longStatementMs}`;
    if (isAlone) await client.query(limit);
    // `pg` answers an array where the text holds several statements, which its declaration does not say.
    const answer: QueryResult<QueryResultRow> | QueryResult<QueryResultRow>[] = await client.query({
      text: isAlone ? text : `${settings.script}${limit};\n${text}\n;reset statement_timeout`,
      ...(types && { types }),
    });
    if (isAlone) await client.query('reset statement_timeout');
    client.isPatient = false;
    broken = false;
    return [answer].flat().flatMap(({ rows }) => rows);
  } catch (error) {
    throw toDatabaseError(error);
  } finally {
    client.release(broken);
  }
}

async function queryOn<Row extends QueryResultRow>(client: PoolClient, config: QueryConfig): Promise<Row[]> {
  const result = await client.query<Row>(config).catch(rethrow);
  return result.rows;
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  return client.query('rollback').then(
    () => true,
    () => false,
  );
}

async function ping(pipeline: Pipeline): Promise<void> {
  await withinDeadline(pipeline.query({ name: 'ping', text: 'select 1' }), PING_TIMEOUT_MS, () => {
    throw new MeshError('unavailable', 'database_unavailable', 'The database does not answer.');
  });
}
