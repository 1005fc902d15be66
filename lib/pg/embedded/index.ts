export { PostgresStartError } from './postgres-start-error.ts';
export { type EmbeddedOptions, type EmbeddedPostgres, startEmbeddedPostgres } from './start-embedded-postgres.ts';
