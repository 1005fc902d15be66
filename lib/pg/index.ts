export { createPool, limitSettings, WatchedClient, withSessionSettings } from './connection/index.ts';
export {
  type Constants,
  createQuery,
  nameParameters,
  type Placeholders,
  type Query,
} from './create-query.ts';
export type { Database, DatabaseOptions, PoolUse, Queryable, Statement, Transaction } from './database.ts';
export { lockKey } from './lock-key.ts';
export { whenUnlocked } from './migrations/index.ts';
export { databaseIn } from './nested-database.ts';
export {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  PostgresStartError,
  startEmbeddedPostgres,
} from './embedded/index.ts';
export { openDatabase } from './open-database.ts';
export { orderedUuid } from './ordered-uuid.ts';
export { jobsSchema, schemasOf } from './prepare-schema.ts';
export {
  closeSchemas,
  closeToOthers,
  type Login,
  lostRights,
  MissingRight,
  prepareLogin,
  type RightsOfService,
  rolesScript,
  withOwner,
} from './roles/index.ts';
export { isStopped, rowTypes } from './sending/index.ts';
