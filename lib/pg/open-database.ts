import pg from 'pg';
import type { Logger } from '../telemetry/index.ts';
import type { Database, DatabaseOptions } from './database.ts';
import { createDatabase, queryAlone } from './create-database.ts';
import { GroupCommit } from './group-commit.ts';
import { createPipeline } from './pipeline.ts';
import { prepareSchema, type SchemaOwner } from './prepare-schema.ts';
import { rowTypes } from './row-types.ts';
import { withSessionSettings } from './session-settings.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;
/** A replica that vanished inside a transaction holds its locks no longer than this. */
const IDLE_IN_TRANSACTION_MS = 60_000;

/**
 * Opens the service's own schema: creates it and its role where that is allowed, applies its new migrations, and
 * returns connections that act as that role. Replicas that start at once wait for each other.
 *
 * Throws `unavailable` (reason `database_unavailable`) when PostgreSQL cannot be reached, and an Error that names the file
 * when a migration fails or was changed after it had been applied.
 */
export async function openDatabase(options: DatabaseOptions, log: Logger): Promise<Database> {
  const owner = await prepareSchema(options, log);
  const connection: pg.ClientConfig = {
    connectionString: withSessionSettings(options.url, sessionSettings(owner)),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: `agentmesh ${options.service}`,
    types: rowTypes,
  };
  const onLost = (err: Error): void => log.warn({ err, service: options.service }, 'database connection lost');
  const shared = Math.ceil(options.poolSize / 2);
  const pool = createPool(connection, { size: Math.max(1, options.poolSize - shared), onLost });
  return createDatabase({
    ownsSchema: !owner.isForeign,
    pipeline: createPipeline({ connection, size: Math.max(1, shared - 1), onLost }),
    groupCommit: new GroupCommit({ connection, alone: (config, until) => queryAlone(pool, config, until), onLost }),
    pool,
  });
}

/** Connections for transactions of several statements. Meanwhile no other statements run on them. */
function createPool(
  connection: pg.ClientConfig,
  { size, onLost }: { size: number; onLost: (error: Error) => void },
): pg.Pool {
  const pool = new pg.Pool({ ...connection, max: size, idleTimeoutMillis: IDLE_TIMEOUT_MS });
  // A client in use reports a broken connection to its own listeners only, an idle one to the pool; without a listener either ends the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', onLost);
  return pool;
}

function sessionSettings(owner: SchemaOwner): string[] {
  const settings = [
    `search_path=${owner.schema}`,
    `idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS}`,
    // Services look up by index alone. A plan made while a table was empty would otherwise scan it when it has grown.
    'enable_seqscan=off',
  ];
  if (owner.role !== undefined) settings.push(`role=${owner.role}`);
  return settings;
}
