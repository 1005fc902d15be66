import pg from 'pg';
import { alterStatement, createStatement, limitsStatement, type Login, missingAttributes } from './login.ts';
import { isRefused, MissingRight } from './missing-right.ts';
import { ownDatabase, withOwner } from './owner-client.ts';
import { appendOnly } from './schema-rights.ts';

export interface LoginOptions {
  /** postgres:// address of the owner of the schemas. Its right to create roles is needed where the login is missing or differs. */
  readonly url: string;
  readonly login: Login;
  /** Schemas whose tables it may read and write. None for a service that uses the bus alone. */
  readonly schemas: readonly string[];
}

/** Whether the login has the password of its address now: `kept` means that an administrator made the login, and sets its password. */
export type PreparedLogin = 'set' | 'kept';

/**
 * Creates the login of one service, or gives it the present password, limits and rights. It owns nothing and is a member of no role: it reads and
 * writes rows of the given schemas, and can neither change tables nor switch triggers off. Throws MissingRight when the login has to be made or changed and the
 * connecting role may not.
 */
export async function prepareLogin({ url, login, schemas }: LoginOptions): Promise<PreparedLogin> {
  return withOwner(url, async (client) => {
    const outcome = await prepareRole(client, login);
    const role = pg.escapeIdentifier(login.name);
    await grantConnect(client, login.name);
    for (const schema of schemas) await grantRows(client, schema, role);
    return outcome;
  });
}

async function prepareRole(client: pg.Client, login: Login): Promise<PreparedLogin> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [login.name]);
  if (rowCount === 0) {
    await client.query(createStatement(login)).catch((error: unknown) => {
      if (isRefused(error)) throw new MissingRight(`may not create the role ${login.name}`);
      throw error;
    });
  }
  const words = await missingAttributes(client, login.name);
  try {
    await client.query(alterStatement(login, words));
    await client.query(limitsStatement(login));
    return 'set';
  } catch (error) {
    if (!isRefused(error)) throw error;
    if (words.length > 0) throw new MissingRight(`may not make the role ${login.name} ${words.join(' ')}`);
    return 'kept';
  }
}

async function grantConnect(client: pg.Client, login: string): Promise<void> {
  const mayConnect = `select has_database_privilege($1, current_database(), 'CONNECT') as may`;
  // PostgreSQL warns only when the connecting role owns neither the database nor the right.
  await client.query(`grant connect on database ${await ownDatabase(client)} to ${pg.escapeIdentifier(login)}`);
  const { rows } = await client.query<{ may: boolean }>(mayConnect, [login]);
  if (rows[0]?.may !== true) throw new MissingRight(`may not let the role ${login} connect to the database`);
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
