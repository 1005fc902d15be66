import type { Job } from '../service/index.ts';
import type { Usage } from './usage.ts';

/** Keeps the usage of accounts up to date. */
export function createSyncUsage(usage: Usage<string>): Job {
  return { pauseMs: 2_000, failure: 'the usage of accounts cannot be written', run: () => usage.sync() };
}
