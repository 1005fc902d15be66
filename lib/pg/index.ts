export type { Database, DatabaseOptions, Queryable, Statement, Transaction } from './database.ts';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded/start-embedded-postgres.ts';
export { openDatabase } from './open-database.ts';
