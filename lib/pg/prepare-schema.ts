import pg from 'pg';
import type { Logger } from '../telemetry/index.ts';
import type { DatabaseOptions } from './database.ts';
import { limitSettings, WatchedClient, withSessionSettings } from './connection/index.ts';
import { checkServer } from './check-server.ts';
import { toDatabaseError } from './sending/index.ts';
import { ensureLocks, holdLock } from './locks/index.ts';
import { applyMigrations, areApplied, missingMigrations } from './migrations/index.ts';
import { isRefused, MissingRight, ownAgain } from './roles/index.ts';

/** Limit of one statement of a migration, which may build an index of a large table. */
const MIGRATION_MS = 3_600_000;
/** Somebody else created the same role, schema or table, or made the same grant, at the same time. */
const RACES = new Set(['42710', '42P06', '42P07', '23505', 'XX000']);
const mostRaces = 20;

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

/** Creates the service's role and schemas and applies its migrations, if some are missing, while other replicas wait for the lock `migrations` of the schema. */
export async function prepareSchema(options: DatabaseOptions, log: Logger): Promise<SchemaOwner> {
  if (!/^[a-z][a-z0-9_]*$/.test(options.service)) throw new Error(`not a service name: ${options.service}`);
  const { service, url: address, directUrl: url = address, statementMs } = options;
  const limits = { statementMs, longMs: MIGRATION_MS };
  const client = new WatchedClient({
    ...limits,
    // Without limits at the server, a replica that vanishes in a migration would hold its locks for hours.
    connectionString: withSessionSettings(url, limitSettings(MIGRATION_MS)),
    application_name: `agentmesh ${service} migrations`,
  });
  // The statement in flight fails with the same error.
  await client.connect().catch((error: unknown) => {
    throw toDatabaseError(error);
  });
  try {
    await checkServer(client, options, log);
    if (await isForeign(client, service)) return await requirePrepared(client, options);
    const owner = await repeatAfterRaces(() => createSchemas(client, options, log));
    const folder = { schema: owner.schema, folder: options.migrations };
    if (await areApplied(client, folder)) return owner;
    const settings = [...limitSettings(), `search_path=${service}`, ...(owner.role ? [`role=${owner.role}`] : [])];
    await using _lock = await holdLock({
      connection: {
        connectionString: withSessionSettings(url, settings),
        application_name: `agentmesh ${service} lock`,
      },
      name: 'migrations',
      onLost: (error) => client.abandon(error),
    });
    client.isPatient = true;
    await applyMigrations(client, { ...folder, log });
    return owner;
  } finally {
    client.isPatient = false;
    await client.end();
  }
}

/** The lock is a row of the schema, so nothing but PostgreSQL's own checks guards what comes before it. */
async function repeatAfterRaces<T>(work: () => Promise<T>): Promise<T> {
  for (let race = 1; ; race += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && RACES.has(error.code ?? '')) || race === mostRaces) throw error;
    }
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
  const { rows } = await client.query<{ hasLocks: boolean }>(`select to_regclass($1) is not null as "hasLocks"`, [
    `${service}.locks`,
  ]);
  if (missing === undefined && rows[0]?.hasLocks !== true) {
    throw new Error(`${service}.locks is missing, and this login may not make it: run \`npm start -- migrate\``);
  }
  if (missing !== undefined) {
    throw new Error(`${service}/${missing} is not applied, and this login may not: run \`npm start -- migrate\``);
  }
  return { schema: service, role: undefined, isForeign: true };
}

/** It may run again, also on a connection that acts as the owner already. */
async function createSchemas(client: pg.Client, options: DatabaseOptions, log: Logger): Promise<SchemaOwner> {
  const { service, jobs = false } = options;
  await client.query('reset role');
  const role = await ensureRole(client, service);
  const schemas = schemasOf(service, jobs);
  for (const schema of schemas) await ensureSchema(client, schema, role ?? 'current_user');
  if (role !== undefined) await ownAgain(client, schemas, role);
  if (role === undefined) {
    log.debug({ service }, 'the connecting role may not create roles: the service works as the connecting role');
  } else {
    await client.query(`set role ${role}`);
  }
  await client.query(`set search_path to ${service}`);
  await ensureLocks(client);
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
    await client.query(`create role ${role} nologin`);
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
