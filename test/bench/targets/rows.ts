import { openDatabase } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';

/** A table of meaningless rows, to measure commits with. */
export interface Rows extends AsyncDisposable {
  /** Inserts one row of 500 bytes in a durable transaction. */
  commit(): Promise<unknown>;
  /** Like `commit`, but concurrent calls share a transaction. */
  commitTogether(): Promise<unknown>;
}

const body = 'x'.repeat(500);
const insert = { name: 'insert', text: 'insert into rows (body) values ($1)' };
const insertTogether = { ...insert, groupCommit: true };

/** Throws when the server's commits are not durable. */
export async function openRows(url: string): Promise<Rows> {
  const database = await openDatabase(
    { service: 'bench', url, poolSize: 16, migrations: new URL('migrations/', import.meta.url) },
    createLogger({ level: 'warn', name: 'bench' }),
  );
  const [{ fsync } = { fsync: '' }] = await database.query<{ fsync: string }>({ text: 'show fsync' });
  if (fsync !== 'on') throw new Error('the PostgreSQL of the benchmark is not durable');
  return {
    commit: () => database.query(insert, [body]),
    commitTogether: () => database.query(insertTogether, [body]),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
