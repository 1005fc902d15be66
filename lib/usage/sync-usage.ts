import { type JobSurroundings, startJob } from '../service/index.ts';
import type { Usage } from './usage.ts';

const pauseMs = 2_000;
const failure = 'the usage of accounts cannot be written';

/** Keeps the usage of accounts up to date. Disposing writes what was counted since the last round: dispose it when no more is counted, and before the database. */
export function startSyncUsage(usage: Usage<string>, surroundings: JobSurroundings): AsyncDisposable {
  const rounds = startJob({ pauseMs, failure, run: () => usage.sync() }, surroundings);
  return {
    async [Symbol.asyncDispose]() {
      await rounds[Symbol.asyncDispose]();
      await usage.sync().catch((err: unknown) => surroundings.log.warn({ err }, failure));
    },
  };
}
