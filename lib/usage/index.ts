export { startSyncUsage } from './sync-usage.ts';
export { Usage } from './usage.ts';
