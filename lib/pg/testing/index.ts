export { majors, ownServer } from './own-server.ts';
export { comparePlans } from './compare-plans.ts';
export { checkMigrations } from './check-migrations.ts';
export { recordExecutions } from './explain-executed.ts';
export { readCatalog } from './read-catalog.ts';
export { statementsOf } from './statements-of.ts';
export { explainStatements, type RecordedStatements, recordStatements } from './statement-plans.ts';
export { type TestDatabase, testDatabaseUrl } from './test-database.ts';
export { databaseWith } from './database-with.ts';
