import type { Client } from 'pg';

// Rows of the service's own schema and not advisory locks: those are numbers that every login of the database may take, and keep.
const CREATE = `
  create table if not exists locks(name text primary key);
  comment on table locks is 'a row is locked, for update, by the transaction that does alone what it names'`;

/** Creates the table whose rows are the locks of a service, in the first schema of the search path, unless it is there. */
export async function ensureLocks(client: Client): Promise<void> {
  const text = `select to_regclass(current_schema() || '.locks') is not null as present`;
  const { rows } = await client.query<{ present: boolean }>(text);
  if (rows[0]?.present !== true) await client.query(CREATE);
}
