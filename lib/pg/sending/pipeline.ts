import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { WatchedClient, type WatchedConfig } from '../connection/index.ts';
import { databaseBusy, isConnectionLoss, toDatabaseError, toOutcomeError } from './database-error.ts';
import { isChange } from './is-change.ts';
import { checkWanted, type Until } from './until.ts';

/**
 * Connections for single statements, each a transaction of its own. A statement is sent while others on its connection are
 * still being answered: fewer connections, fewer wake-ups of the server, a third less work on both sides than one at a time.
 */
export interface Pipeline extends AsyncDisposable {
  /** Rejects without sending the statement when `until` is over. */
  query<Row extends QueryResultRow>(config: QueryConfig, until?: Until): Promise<Row[]>;
}

export interface PipelineOptions {
  readonly connection: WatchedConfig;
  /** Most connections. */
  readonly size: number;
  /** Called when a connection breaks. */
  readonly onLost: (error: Error) => void;
}

/** Statements in flight on one connection above which the next of the same turn goes to another. */
const mostGathered = 4;
/** Statements in flight on all connections. */
const mostInFlight = 10_000;

interface Connection {
  readonly client: WatchedClient;
  inFlight: number;
  /** Statements of this turn of the event loop wait to be sent together. */
  gathering: boolean;
}

export function createPipeline(options: PipelineOptions): Pipeline {
  const pipeline = createUnboundedPipeline(options);
  let inFlight = 0;
  return {
    async query(config, until) {
      checkWanted(until);
      if (inFlight >= mostInFlight) throw databaseBusy();
      inFlight += 1;
      try {
        return await pipeline.query(config, until);
      } finally {
        inFlight -= 1;
      }
    },
    [Symbol.asyncDispose]: () => pipeline[Symbol.asyncDispose](),
  };
}

function createUnboundedPipeline({ connection: config, size, onLost }: PipelineOptions): Pipeline {
  const connections = new Set<Connection>();
  const opening = new Set<Promise<Connection>>();
  let ended = false;

  const open = (): Promise<Connection> => {
    const attempt = connect(config).finally(() => opening.delete(attempt));
    opening.add(attempt);
    return attempt;
  };
  const connect = async (clientConfig: WatchedConfig): Promise<Connection> => {
    if (ended) throw new Error('The database was closed.');
    const client = new WatchedClient({ ...clientConfig, pipeline: true });
    const connection: Connection = { client, inFlight: 0, gathering: false };
    client.on('error', (error) => {
      if (connections.delete(connection)) onLost(error);
    });
    client.on('end', () => connections.delete(connection));
    await client.connect();
    connections.add(connection);
    return connection;
  };
  /** The server says that it ends a session before it ends the socket: nothing more is sent on it. */
  const drop = (connection: Connection): void => {
    if (connections.delete(connection)) connection.client.end().catch(() => undefined);
  };
  /** The best connection; another is opened beside it while all are busy and there is room. */
  const pick = (): Connection | undefined => {
    const best = bestOf(connections);
    const mayGrow = best !== undefined && best.inFlight > 0 && connections.size + opening.size < size && !ended;
    if (mayGrow) open().catch(onLost);
    return best;
  };
  return {
    query: (config, until) => {
      const connection = pick();
      if (connection !== undefined) return send(connection, config, drop);
      const first = opening.values().next().value ?? open();
      return afterOpening(first, until).then((opened) => send(opened, config, drop));
    },
    async [Symbol.asyncDispose]() {
      ended = true;
      await Promise.allSettled(opening);
      await Promise.all([...connections].map(({ client }) => client.end()));
    },
  };
}

/** The connection, unless `until` is over when it is open. */
async function afterOpening(opening: Promise<Connection>, until: Until | undefined): Promise<Connection> {
  const connection = await opening.catch((error: unknown) => {
    throw toDatabaseError(error);
  });
  checkWanted(until);
  return connection;
}

/** A connection that already sends at the end of this turn of the event loop and is not very busy, else the least busy one. */
function bestOf(connections: Iterable<Connection>): Connection | undefined {
  let best: Connection | undefined;
  for (const connection of connections) {
    if (connection.gathering && connection.inFlight < mostGathered) return connection;
    if (best === undefined || connection.inFlight < best.inFlight) best = connection;
  }
  return best;
}

function send<Row extends QueryResultRow>(
  connection: Connection,
  config: QueryConfig,
  drop: (connection: Connection) => void,
): Promise<Row[]> {
  connection.inFlight += 1;
  gather(connection);
  return new Promise((resolve, reject) => {
    connection.client.query(config, (error: Error | null, result: QueryResult<Row>) => {
      connection.inFlight -= 1;
      if (!error) return resolve(result.rows);
      if (isConnectionLoss(error)) drop(connection);
      reject(isChange(config) ? toOutcomeError(error) : toDatabaseError(error));
    });
  });
}

/**
 * Statements of one turn of the event loop leave in one write, at the end of the turn: a write costs more than the
 * statements in it, and wakes the server.
 */
function gather(connection: Connection): void {
  if (connection.gathering) return;
  connection.gathering = true;
  const { stream } = connection.client.connection;
  stream.cork();
  setImmediate(() => {
    connection.gathering = false;
    stream.uncork();
  });
}
