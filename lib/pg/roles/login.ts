import pg from 'pg';
import { scramVerifier } from './scram-verifier.ts';

/** A role that a service connects as. */
export interface Login {
  readonly name: string;
  readonly password: string;
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
