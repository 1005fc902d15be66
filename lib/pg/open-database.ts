import type { Logger } from '../telemetry/index.ts';
import type { Database, DatabaseOptions } from './database.ts';
import { AnswerWatch, createPool, limitSettings, type WatchedConfig, withSessionSettings } from './connection/index.ts';
import { createDatabase, queryAlone } from './create-database.ts';
import { GroupCommit } from './group-commit.ts';
import { createPipeline } from './pipeline.ts';
import { prepareSchema, type SchemaOwner } from './prepare-schema.ts';
import { rowTypes } from './row-types.ts';

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
  const connection: WatchedConfig = {
    connectionString: withSessionSettings(options.url, sessionSettings(owner, options.statementMs)),
    statementMs: options.statementMs,
    watch: new AnswerWatch(),
    application_name: `agentmesh ${options.service}`,
    types: rowTypes,
  };
  const onLost = (err: Error): void => log.warn({ err, service: options.service }, 'database connection lost');
  const shared = Math.ceil(options.poolSize / 2);
  // Connections for transactions of several statements. Meanwhile no other statements run on them.
  const pool = createPool({
    ...connection,
    max: Math.max(1, options.poolSize - shared),
    connectionTimeoutMillis: WAIT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    onLost,
  });
  return createDatabase({
    ownsSchema: !owner.isForeign,
    pipeline: createPipeline({ connection, size: Math.max(1, shared - 1), onLost }),
    groupCommit: new GroupCommit({ connection, alone: (config, until) => queryAlone(pool, config, until), onLost }),
    pool,
  });
}

function sessionSettings(owner: SchemaOwner, statementMs: number | undefined): string[] {
  const settings = [
    `search_path=${owner.schema}`,
    ...limitSettings(statementMs),
    // Services look up by index alone. A plan made while a table was small would otherwise scan it when it has grown: docs/adr/0017.
    'enable_seqscan=off',
  ];
  if (owner.role !== undefined) settings.push(`role=${owner.role}`);
  return settings;
}
