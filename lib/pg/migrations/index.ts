export { applyMigrations, missingMigrations } from './apply-migrations.ts';
export { readMigrations } from './read-migrations.ts';
