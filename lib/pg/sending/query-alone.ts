import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import type { WatchedPoolClient } from '../connection/index.ts';
import { databaseBusy, isConnectionLoss, toDatabaseError, toOutcomeError } from './database-error.ts';
import { isChange } from './is-change.ts';
import { type BoundStatement, bindStatement, StatementBatch } from './statement-batch.ts';
import type { Timeline } from './timeline.ts';
import { checkWanted, type Until } from './until.ts';

/** Callers that may wait for a connection of the pool. */
const mostWaiting = 1_000;

/** A connection of the pool, unless `until` is over when it is there. */
export async function acquire(pool: Pool, until: Until | undefined): Promise<WatchedPoolClient> {
  if (pool.waitingCount >= mostWaiting) throw databaseBusy();
  const client = (await pool.connect().catch(rethrow)) as WatchedPoolClient;
  try {
    checkWanted(until);
  } catch (error) {
    client.release();
    throw error;
  }
  return client;
}

/** Connections for statements that run alone, and what each transaction begins with. */
export interface AloneOptions {
  readonly pool: Pool;
  readonly before: readonly BoundStatement[];
  /** Is told of the server that has answered. */
  readonly timeline: Timeline;
}

/** Runs one statement on a connection of the pool, unless `until` is over before it is sent. */
export async function queryAlone<Row extends QueryResultRow>(
  options: AloneOptions,
  config: QueryConfig,
  until?: Until,
): Promise<Row[]> {
  const client = await acquire(options.pool, until);
  let broken = true;
  try {
    const rows = await (options.before.length === 0
      ? plainly<Row>(client, config)
      : behind<Row>(client, options, config));
    broken = false;
    return rows;
  } catch (error) {
    broken = isConnectionLoss(error);
    throw isChange(config) ? toOutcomeError(error) : toDatabaseError(error);
  } finally {
    client.release(broken);
  }
}

async function plainly<Row extends QueryResultRow>(client: WatchedPoolClient, config: QueryConfig): Promise<Row[]> {
  return (await client.query<Row>(config)).rows;
}

/** Sends the statement behind others in one transaction, which costs no further round trip. */
function behind<Row extends QueryResultRow>(
  client: WatchedPoolClient,
  { before, timeline }: AloneOptions,
  { text, types, values }: QueryConfig,
): Promise<Row[]> {
  const statements = [...before, bindStatement({ text, ...(types && { types }), ...(values && { values }) })];
  return new Promise((resolve, reject) => {
    const batch = new StatementBatch(statements, new Map(), (outcome) => {
      if ('error' in outcome) return reject(outcome.error);
      timeline.note(outcome.rows[0]?.[0]?.['timeline']);
      return resolve((outcome.rows.at(-1) ?? []) as Row[]);
    });
    client.query(batch);
  });
}

/** Throws an error of `pg` as the callers of a database get it. */
export function rethrow(error: unknown): never {
  throw toDatabaseError(error);
}
