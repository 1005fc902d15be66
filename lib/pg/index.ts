export type { Database, DatabaseOptions, Queryable, Statement, Transaction } from './database.ts';
export { isUniqueViolation } from './database-error.ts';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded/start-embedded-postgres.ts';
export { openDatabase } from './open-database.ts';
