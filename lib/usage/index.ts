export { createSyncUsage } from './sync-usage.ts';
export { Usage } from './usage.ts';
