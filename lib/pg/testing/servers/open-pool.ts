import pg from 'pg';

/** At most `max` connections of a test. Their end is not awaited by that of the pool, and one whose database is dropped meanwhile fails: without a listener that ends the process. */
export function openPool(connectionString: string, max: number): pg.Pool {
  return new pg.Pool({ connectionString, max }).on('error', () => undefined);
}
