export { isStopped, toDatabaseError, toOutcomeError } from './database-error.ts';
export { GroupCommit, type GroupCommitOptions } from './group-commit.ts';
export { isChange } from './is-change.ts';
export { createPipeline, type Pipeline } from './pipeline.ts';
export { acquire, queryAlone, rethrow } from './query-alone.ts';
export { rowTypes } from './row-types.ts';
export { Timeline } from './timeline.ts';
export { type TransactionSettings, transactionSettings } from './transaction-settings.ts';
export { type Caller, checkWanted, type Until, untilCallerLeaves } from './until.ts';
