import pg from 'pg';
import { idleInTransactionMs, usualStatementMs } from '../connection/index.ts';
import { scramVerifier } from './scram-verifier.ts';

/** A role that a service connects as. */
export interface Login {
  readonly name: string;
  readonly password: string;
  /** Most connections at the same time, of all replicas together. Default: half of those that the server admits. */
  readonly connections?: number | undefined;
}

/** Attributes of a role in `pg_roles` with the values of a login, and the words that set them. */
const attributes: readonly (readonly [column: string, value: boolean, words: string])[] = [
  ['rolcanlogin', true, 'login'],
  ['rolinherit', false, 'noinherit'],
  ['rolsuper', false, 'nosuperuser'],
  ['rolcreatedb', false, 'nocreatedb'],
  ['rolcreaterole', false, 'nocreaterole'],
  ['rolreplication', false, 'noreplication'],
  ['rolbypassrls', false, 'nobypassrls'],
];

/** The words that give a role of the server the attributes of a login. PostgreSQL lets a superuser alone name some of them, also where they change nothing. */
export async function missingAttributes(client: pg.Client, name: string): Promise<string[]> {
  const { rows } = await client.query<Record<string, unknown>>('select * from pg_roles where rolname = $1', [name]);
  const [role] = rows;
  return attributes.filter(([column, value]) => role?.[column] !== value).map(([, , words]) => words);
}

/** Statement that creates the role, without rights. */
export function createStatement({ name }: Login): string {
  return `create role ${pg.escapeIdentifier(name)} login noinherit`;
}

/** Statement that sets the password of the role, and the attributes of `words`. It holds the hash of the password alone. */
export function alterStatement({ name, password }: Login, words: readonly string[] = []): string {
  const verifier = pg.escapeLiteral(scramVerifier(password));
  return `alter role ${pg.escapeIdentifier(name)} ${[...words, `password ${verifier}`].join(' ')}`;
}

/**
 * Statement that bounds the connections of the role, and gives its sessions the limits that a service asks for when it connects: they hold also where a pooler drops what it
 * asks for. A session may lift all but the limit of temporary files, which a superuser alone can set; without that right it is left out.
 */
export function limitsStatement({ name, connections }: Login): string {
  const role = pg.escapeIdentifier(name);
  const most = connections ?? "greatest(current_setting('max_connections')::integer / 2, 8)";
  const settings = { statement_timeout: usualStatementMs, idle_in_transaction_session_timeout: idleInTransactionMs };
  return `do $do$ begin
    execute format('alter role %I connection limit %s', ${pg.escapeLiteral(name)}, ${most});
    ${Object.entries(settings)
      .map(([setting, value]) => `alter role ${role} set ${setting} = ${value};`)
      .join(' ')}
    begin
      alter role ${role} set temp_file_limit = '${tempFiles}';
    exception when insufficient_privilege then null; end;
  end $do$`;
}

/** Most bytes of temporary files of one session. */
const tempFiles = '1GB';
