export { applyMigrations, areApplied, missingMigrations } from './apply-migrations.ts';
export { readMigrations } from './read-migrations.ts';
export { whenUnlocked } from './when-unlocked.ts';
