export { useChanges } from './use-changes.ts';
export { type Inbox, useInbox } from './use-inbox.ts';
export type { RunView } from './run-view.ts';
export { type RunActions, useRun } from './use-run.ts';
