/** A program of the embedded PostgreSQL could not work with its files. The message has its last words. */
export class PostgresStartError extends Error {
  override readonly name = 'PostgresStartError';
}
