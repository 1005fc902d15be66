import type { Logger } from '../telemetry/index.ts';
import type { Database, DatabaseOptions } from './database.ts';
import {
  AnswerWatch,
  createPool,
  limitSettings,
  timeLimits,
  type WatchedConfig,
  withSessionSettings,
} from './connection/index.ts';
import { createDatabase } from './create-database.ts';
import {
  createPipeline,
  GroupCommit,
  type GroupCommitOptions,
  queryAlone,
  rowTypes,
  Timeline,
  transactionSettings,
} from './sending/index.ts';
import { prepareSchema, type SchemaOwner } from './prepare-schema.ts';

/** Longest wait for a free connection. */
const WAIT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;

/**
 * Opens the service's own schema: creates it and its role where that is allowed, applies its new migrations, and
 * returns connections that act as that role. Replicas that start at once wait for each other.
 *
 * Throws `unavailable` (reason `database_unavailable`) when PostgreSQL cannot be reached, and an Error that names the file
 * when a migration fails or was changed after it had been applied.
 */
export async function openDatabase(options: DatabaseOptions, log: Logger): Promise<Database> {
  const owner = await prepareSchema(options, log);
  const isPooled = options.directUrl !== undefined;
  const settings = schemaSettings(owner);
  const { service, statementMs } = options;
  const session = [...settings, ...limitSettings(statementMs)];
  const common: WatchedConfig = {
    statementMs,
    watch: new AnswerWatch(),
    application_name: `agentmesh ${service}`,
    types: rowTypes,
  };
  const direct: WatchedConfig = {
    ...common,
    connectionString: withSessionSettings(options.directUrl ?? options.url, session),
  };
  const timeline = new Timeline();
  const connection: WatchedConfig = isPooled
    ? { ...common, connectionString: options.url, isPooled }
    : { ...direct, onConnected: (client) => timeline.meet(client) };
  const own = transactionSettings(isPooled ? [...settings, ...timeLimits(statementMs)] : []);
  const onLost = (err: Error): void => log.warn({ err, service }, 'database connection lost');
  const limits = { connectionTimeoutMillis: WAIT_TIMEOUT_MS, idleTimeoutMillis: IDLE_TIMEOUT_MS, onLost };
  // A connection of a pooler takes one statement at a time, so single ones share the pool with transactions.
  const shared = isPooled ? 1 : Math.ceil(options.poolSize / 2);
  // Connections for transactions of several statements. Meanwhile no other statements run on them.
  const pool = createPool({ ...connection, ...limits, max: Math.max(1, options.poolSize - shared) });
  const most = pool.options.max;
  options.watchPool?.(() => {
    const { totalCount, idleCount: idle, waitingCount: waiting } = pool;
    return { used: totalCount - idle, idle, waiting, most };
  });
  const alone: Alone = (config, until) => queryAlone({ pool, before: own.statements, timeline }, config, until);
  return createDatabase({
    ownsSchema: !owner.isForeign,
    timeline,
    pipeline: isPooled
      ? { query: alone, [Symbol.asyncDispose]: () => Promise.resolve() }
      : createPipeline({ connection, size: Math.max(1, shared - 1), onLost }),
    groupCommit: new GroupCommit({ connection, alone, onLost, settings: own, timeline }),
    pool,
    direct: isPooled ? createPool({ ...direct, ...limits, max: 1 }) : pool,
    settings: own,
  });
}

type Alone = GroupCommitOptions['alone'];

function schemaSettings(owner: SchemaOwner): string[] {
  return [
    `search_path=${owner.schema}`,
    // Services look up by index alone. A plan made while a table was small would otherwise scan it when it has grown: docs/adr/0017.
    'enable_seqscan=off',
    ...(owner.role === undefined ? [] : [`role=${owner.role}`]),
  ];
}
