import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../telemetry/index.ts';
import type { DatabaseOptions } from './database.ts';
import { limitSettings, WatchedClient, withSessionSettings } from './connection/index.ts';
import { toDatabaseError } from './database-error.ts';
import { applyMigrations, missingMigrations } from './migrations/index.ts';
import { isRefused, MissingRight } from './roles/index.ts';

/** First key of every advisory lock that guards the preparation of a schema; the second is a hash of the service's name. */
const PREPARE_LOCK = 0x61676d; // 'agm'
const LOCK_PAUSE_MS = 50;
/** Limit of one statement of a migration, which may build an index of a large table. */
const MIGRATION_MS = 3_600_000;
const DUPLICATE_ROLE = new Set(['42710', '23505']);

export interface SchemaOwner {
  readonly schema: string;
  /** The role that owns the schema; undefined when the connecting role owns it. */
  readonly role: string | undefined;
  /** Whether the connecting role reads and writes rows only. */
  readonly isForeign: boolean;
}

/** The schema of a service's job queue: see lib/jobs. */
export function jobsSchema(service: string): string {
  return `${service}_jobs`;
}

/** The schemas that a service with a database has. */
export function schemasOf(service: string, jobs: boolean): string[] {
  return jobs ? [service, jobsSchema(service)] : [service];
}

/** Creates the service's role and schemas and applies its migrations, while other replicas wait. */
export async function prepareSchema(options: DatabaseOptions, log: Logger): Promise<SchemaOwner> {
  if (!/^[a-z][a-z0-9_]*$/.test(options.service)) throw new Error(`not a service name: ${options.service}`);
  const client = new WatchedClient({
    // Without limits at the server, a replica that vanishes in a migration would hold its locks for hours.
    connectionString: withSessionSettings(options.url, limitSettings(MIGRATION_MS)),
    application_name: `agentmesh ${options.service} migrations`,
    statementMs: options.statementMs,
    longMs: MIGRATION_MS,
  });
  // The statement in flight fails with the same error.
  client.on('error', () => {});
  await client.connect().catch((error: unknown) => {
    throw toDatabaseError(error);
  });
  try {
    // The lock belongs to the session, so it is released when this connection ends for any reason.
    await lockPreparation(client, options.service);
    if (await isForeign(client, options.service)) return await requirePrepared(client, options);
    const owner = await createSchemas(client, options, log);
    client.isPatient = true;
    await applyMigrations(client, { schema: owner.schema, folder: options.migrations, log });
    return owner;
  } finally {
    client.isPatient = false;
    await client.end();
  }
}

/** Asks again and again instead of waiting: a waiting statement would hold up the replica that builds an index concurrently. */
async function lockPreparation(client: pg.Client, service: string): Promise<void> {
  const ask = 'select pg_try_advisory_lock($1, hashtext($2)) as locked';
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>(ask, [PREPARE_LOCK, service]);
    if (rows[0]?.locked === true) return;
    await sleep(LOCK_PAUSE_MS);
  }
}

/** Whether the connecting role has a login of its own beside the schema's owner: it may neither act as the owner nor create roles or schemas. */
async function isForeign(client: pg.Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ foreign: boolean }>(
    `select not (rolsuper or rolcreaterole) and coalesce(
         (select not pg_has_role(nspowner, 'USAGE') from pg_namespace where nspname = $1),
         not has_database_privilege(current_database(), 'CREATE')) as foreign
       from pg_roles where rolname = current_user`,
    [schema],
  );
  return rows[0]?.foreign === true;
}

/** A service with a login of its own does not change its schema. Throws an Error that says what to run when the schema is not up to date. */
async function requirePrepared(client: pg.Client, { service, migrations }: DatabaseOptions): Promise<SchemaOwner> {
  const missing = await missingMigrations(client, { schema: service, folder: migrations });
  if (missing !== undefined) {
    throw new Error(`${service}/${missing} is not applied, and this login may not: run \`npm start -- migrate\``);
  }
  return { schema: service, role: undefined, isForeign: true };
}

async function createSchemas(client: pg.Client, options: DatabaseOptions, log: Logger): Promise<SchemaOwner> {
  const { service, jobs = false } = options;
  const role = await ensureRole(client, service);
  for (const schema of schemasOf(service, jobs)) await ensureSchema(client, schema, role ?? 'current_user');
  if (role === undefined) {
    log.debug({ service }, 'the connecting role may not create roles: the service works as the connecting role');
  } else {
    await client.query(`set role ${role}`);
  }
  await client.query(`set search_path to ${service}`);
  return { schema: service, role, isForeign: false };
}

/**
 * Returns the service's role and creates it if it is missing; undefined when the connecting role may neither create nor become it. Throws MissingRight when that role
 * owns the schema already.
 */
async function ensureRole(client: pg.Client, service: string): Promise<string | undefined> {
  const role = `agentmesh_${service}`;
  const { rows } = await client.query<{ may_create: boolean; present: boolean }>(
    `select rolsuper or rolcreaterole as may_create, exists (select from pg_roles where rolname = $1) as present
       from pg_roles where rolname = current_user`,
    [role],
  );
  const { may_create: mayCreate, present } = rows[0] ?? { may_create: false, present: false };
  if (!present) {
    if (!mayCreate) return undefined;
    await createRole(client, role);
  }
  if (await mayBecome(client, role)) return role;
  if (!mayCreate) return undefined;
  return (await joinRole(client, role)) ? role : requireOtherOwner(client, service, role);
}

/** Since PostgreSQL 16 a role that may create roles becomes only those that it has created itself, e.g. none of another mesh on the server. */
async function joinRole(client: pg.Client, role: string): Promise<boolean> {
  try {
    await client.query(`grant ${role} to current_user`);
    return true;
  } catch (error) {
    if (isRefused(error)) return false;
    throw error;
  }
}

async function requireOtherOwner(client: pg.Client, schema: string, role: string): Promise<undefined> {
  const owned = 'select from pg_namespace where nspname = $1 and nspowner = $2::regrole';
  const { rowCount } = await client.query(owned, [schema, role]);
  if (rowCount !== 0) throw new MissingRight(`may not act as the role ${role}, which owns the schema ${schema}`);
}

// Roles belong to the whole server, but the lock to one database, so two databases may create the same role at the same time.
async function createRole(client: pg.Client, role: string): Promise<void> {
  try {
    await client.query(`create role ${role} nologin`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && DUPLICATE_ROLE.has(error.code ?? ''))) throw error;
  }
}

async function mayBecome(client: pg.Client, role: string): Promise<boolean> {
  // Since PostgreSQL 16, membership and the right to SET ROLE are separate.
  const { rows } = await client.query<{ may: boolean }>(
    `select case when current_setting('server_version_num')::int >= 160000
                 then pg_has_role(current_user, $1, 'SET') else pg_has_role(current_user, $1, 'MEMBER') end as may`,
    [role],
  );
  return rows[0]?.may === true;
}

async function ensureSchema(client: pg.Client, schema: string, owner: string): Promise<void> {
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schema]);
  // Checks first whether it exists, because `if not exists` also requires the right to create schemas.
  if (rowCount === 0) await client.query(`create schema ${schema} authorization ${owner}`);
}
