import pg from 'pg';
import { limitSettings, WatchedClient, withSessionSettings } from './connection/index.ts';
import { jobsSchema } from './prepare-schema.ts';
import { scramVerifier } from './scram-verifier.ts';

export interface Login {
  readonly name: string;
  readonly password: string;
}

export interface LoginOptions {
  /** postgres:// address with the right to create roles. */
  readonly url: string;
  readonly login: Login;
  /** Schemas whose tables it may read and write. None for a service that uses the bus alone. */
  readonly schemas: readonly string[];
}

/** Tables with a comment that begins with this word take new rows only. */
const appendOnly = 'append-only%';

/**
 * Creates the login of one service, or gives it the present password and rights. It owns nothing and is a member of no role: it reads and
 * writes rows of the given schemas, and can neither change tables nor switch triggers off.
 */
export async function prepareLogin({ url, login, schemas }: LoginOptions): Promise<void> {
  const client = createClient(url);
  await client.connect();
  try {
    const role = client.escapeIdentifier(login.name);
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [login.name]);
    if (rowCount === 0) await client.query(`create role ${role}`);
    const rights = 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls noinherit';
    await client.query(`alter role ${role} ${rights} password ${client.escapeLiteral(scramVerifier(login.password))}`);
    await client.query(`grant connect on database ${await ownDatabase(client)} to ${role}`);
    for (const schema of schemas) await grantRows(client, schema, role);
  } finally {
    await client.end();
  }
}

/**
 * Takes from the database what PostgreSQL gives to every login of the server: to connect, to make temporary tables, and before PostgreSQL 15 to make tables in the
 * schema public. Does nothing, as PostgreSQL answers with a warning, where the login at `url` owns neither.
 */
export async function closeToOthers(url: string): Promise<void> {
  const client = createClient(url);
  await client.connect();
  try {
    await client.query(`revoke connect, temporary on database ${await ownDatabase(client)} from public`);
    const { rowCount } = await client.query(`select from pg_namespace where nspname = 'public'`);
    if (rowCount !== 0) await client.query('revoke create on schema public from public');
  } finally {
    await client.end();
  }
}

function createClient(url: string): pg.Client {
  const connectionString = withSessionSettings(url, limitSettings());
  const client = new WatchedClient({ connectionString, application_name: 'agentmesh migrate' });
  // The statement in flight fails with the same error.
  client.on('error', () => {});
  return client;
}

async function ownDatabase(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>('select current_database() as name');
  return client.escapeIdentifier(rows[0]?.name ?? '');
}

async function grantRows(client: pg.Client, schema: string, role: string): Promise<void> {
  await client.query(`grant usage on schema ${schema} to ${role}`);
  await client.query(`grant select, insert, update, delete on all tables in schema ${schema} to ${role}`);
  await client.query(`grant usage on all sequences in schema ${schema} to ${role}`);
  await client.query(`revoke insert, update, delete on ${schema}.migrations from ${role}`).catch(ignoreMissingTable);
  const { rows } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
       where relnamespace = $1::regnamespace and obj_description(oid, 'pg_class') like $2`,
    [schema, appendOnly],
  );
  for (const { name } of rows) await client.query(`revoke update, delete on ${name} from ${role}`);
}

/** The schema of a job queue has no table of migrations. */
function ignoreMissingTable(error: unknown): void {
  if (!(error instanceof pg.DatabaseError) || error.code !== '42P01') throw error;
}

/** The schemas that a service with a database has. */
export function schemasOf(service: string, jobs: boolean): string[] {
  return jobs ? [service, jobsSchema(service)] : [service];
}
