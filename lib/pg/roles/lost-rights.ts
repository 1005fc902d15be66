import type pg from 'pg';
import { missingAttributes } from './login.ts';
import { appendOnly, ownerKeepsUpdates, strangeObjects, strangersIn } from './schema-rights.ts';

/** The service whose rights are compared with those that `migrate` gives. */
export interface RightsOfService {
  /** Its word. */
  readonly service: string;
  readonly schemas: readonly string[];
  /** Name of its login; undefined: it has none of its own. */
  readonly login: string | undefined;
  /** Names of the logins of other services. */
  readonly others: readonly string[];
}

/**
 * Names the rights that `migrate` gives and that are not there, e.g. `right of agentmesh_auth_login to connect to the database`. A backup holds no roles, and a part of the
 * rights alone. Looks into the catalog and changes nothing. Schemas that are missing are left out: they are new.
 */
export async function lostRights(client: pg.Client, rights: RightsOfService): Promise<string[]> {
  const { login, service } = rights;
  const found: string[] = [];
  for (const schema of await presentSchemas(client, rights.schemas)) {
    found.push(...(await lostOwnership(client, schema, `agentmesh_${service}`)));
    found.push(...(await openToOthers(client, schema, rights.others)));
  }
  if (login === undefined) return found;
  if ((await client.query('select from pg_roles where rolname = $1', [login])).rowCount === 0) {
    return [...found, `role ${login}`];
  }
  const words = await missingAttributes(client, login);
  if (words.length > 0) found.push(`attributes of ${login}: ${words.join(' ')}`);
  found.push(...(await namesIn(client, connecting, [login])));
  for (const schema of await presentSchemas(client, rights.schemas)) {
    found.push(...(await namesIn(client, rowsOfSchema, [login, schema])));
  }
  return found;
}

async function presentSchemas(client: pg.Client, schemas: readonly string[]): Promise<string[]> {
  return namesIn(client, 'select nspname as name from pg_namespace where nspname = any($1)', [schemas]);
}

async function namesIn(client: pg.Client, text: string, values: readonly unknown[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(text, [...values]);
  return rows.map(({ name }) => name);
}

/** A service works as the login that made its schema where that login may not make the role. */
async function lostOwnership(client: pg.Client, schema: string, role: string): Promise<string[]> {
  const found: string[] = [];
  const text = `select nspowner::regrole::text as name from pg_namespace
    where nspname = $1 and nspowner is distinct from to_regrole($2)
      and coalesce(pg_has_role(to_regrole($2), 'MEMBER'), (select rolsuper or rolcreaterole from pg_roles where rolname = current_user))`;
  for (const owner of await namesIn(client, text, [schema, role])) {
    found.push(`ownership of the schema ${schema} by ${role} (it belongs to ${owner})`);
  }
  const owners = await namesIn(client, 'select nspowner::regrole::text as name from pg_namespace where nspname = $1', [
    schema,
  ]);
  const strange = await namesIn(client, strangeObjects, [schema, owners[0]]);
  if (strange.length > 0) found.push(`ownership of ${strange.length} tables and functions by the owner of ${schema}`);
  const open = await namesIn(client, ownerKeepsUpdates, [schema]);
  return [...found, ...open.map((name) => `limit of the owner of ${name} to adding rows`)];
}

async function openToOthers(client: pg.Client, schema: string, others: readonly string[]): Promise<string[]> {
  return (await namesIn(client, strangersIn, [schema, others])).map(
    (name) => `closing of the schema ${schema} to ${name}`,
  );
}

const connecting = `select format('right of %s to connect to the database', $1::text) as name
  where not has_database_privilege($1, current_database(), 'CONNECT')`;

const isOf = (alias: string) => `${alias}.relnamespace = to_regnamespace($2)`;
const lacks = (words: string) =>
  `exists (select from unnest('{${words}}'::text[]) word where not has_table_privilege($1::text, c.oid, word))`;
const may = (words: string) => `has_table_privilege($1::text, c.oid, '${words}')`;

const rowsOfSchema = `with tables as materialized (
    select c.oid, c.oid::regclass::text as name, relname = 'migrations' as is_read, coalesce(obj_description(c.oid, 'pg_class') like '${appendOnly}', false) as is_log
      from pg_class c where ${isOf('c')} and relkind in ('r', 'p', 'v', 'm')
  )
  select format('right of %s to use the schema %s', $1::text, $2::text) as name where not has_schema_privilege($1::text, $2::text, 'USAGE')
  union all
  select format('rights of %s on the rows of %s tables of %s', $1::text, count(*), $2::text) from tables c
    where case when is_read then ${lacks('SELECT')} when is_log then ${lacks('SELECT,INSERT')} else ${lacks('SELECT,INSERT,UPDATE,DELETE')} end
    having count(*) > 0
  union all
  select format('rights of %s on %s sequences of %s', $1::text, count(*), $2::text) from pg_class c
    where ${isOf('c')} and case when relkind = 'S' then not has_sequence_privilege($1::text, c.oid, 'USAGE') end having count(*) > 0
  union all
  select format('limit of %s to %s', $1::text, case when is_read then 'reading ' else 'adding rows to ' end || name) from tables c
    where (is_read and ${may('INSERT, UPDATE, DELETE')}) or (is_log and ${may('UPDATE, DELETE')})`;
