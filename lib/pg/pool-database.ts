import type { Pool, PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import type { Database, Statement, Transaction } from './database.ts';
import { isConnectionLoss, toDatabaseError } from './database-error.ts';
import { MeshError } from '../rpc/mesh-error.ts';

const PING_TIMEOUT_MS = 2_000;

/** A Database over `pool`; disposing it waits for statements in flight and closes every connection. */
export function createPoolDatabase(pool: Pool): Database {
  return {
    query: (statement, values) => queryOnce(pool, toConfig(statement, values)),
    transaction: (work) => runTransaction(pool, work),
    ping: () => ping(pool),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

function toConfig(statement: Statement, values: readonly unknown[] | undefined): QueryConfig {
  const config: QueryConfig = { text: statement.text };
  if (statement.name !== undefined) config.name = statement.name;
  // pg reads the values and never writes them.
  if (values !== undefined) config.values = values as unknown[];
  return config;
}

// Not pool.query: that closes the connection after every failed statement, a unique violation included.
function queryOnce<Row extends QueryResultRow>(pool: Pool, config: QueryConfig): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    pool.connect((connectError, client) => {
      if (client === undefined) return reject(toDatabaseError(connectError));
      client.query(config, (error: Error | null, result: QueryResult<Row>) => {
        client.release(error !== null && error !== undefined && isConnectionLoss(error));
        if (error) reject(toDatabaseError(error));
        else resolve(result.rows);
      });
    });
  });
}

async function runTransaction<T>(pool: Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch(rethrow);
  let broken = false;
  try {
    await client.query('begin').catch(rethrow);
    const result = await work({ client, query: (statement, values) => queryOn(client, toConfig(statement, values)) });
    await client.query('commit').catch(rethrow);
    return result;
  } catch (error) {
    broken = !(await rolledBack(client));
    throw error;
  } finally {
    client.release(broken);
  }
}

async function queryOn<Row extends QueryResultRow>(client: PoolClient, config: QueryConfig): Promise<Row[]> {
  const result = await client.query<Row>(config).catch(rethrow);
  return result.rows;
}

function rethrow(error: unknown): never {
  throw toDatabaseError(error);
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  return client.query('rollback').then(
    () => true,
    () => false,
  );
}

async function ping(pool: Pool): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const late = new MeshError('unavailable', 'database_unavailable', 'The database does not answer.');
    timer = setTimeout(reject, PING_TIMEOUT_MS, late);
  });
  try {
    await Promise.race([queryOnce(pool, { name: 'ping', text: 'select 1' }), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
