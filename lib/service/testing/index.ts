export { fakeDeletions } from './fake-deletions.ts';
export { preparedDatabase } from './prepared-database.ts';
export { startAlone, type ServiceAlone } from './start-alone.ts';
