export { createPool, limitSettings, WatchedClient, withSessionSettings } from './connection/index.ts';
export { createQuery, nameParameters, type Placeholders, type Query } from './create-query.ts';
export type { Database, DatabaseOptions, Queryable, Statement, Transaction } from './database.ts';
export { databaseIn } from './nested-database.ts';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded/index.ts';
export { openDatabase } from './open-database.ts';
export { closeToOthers, type Login, prepareLogin, schemasOf } from './prepare-login.ts';
export { jobsSchema } from './prepare-schema.ts';
export { rowTypes } from './row-types.ts';
