import { setTimeout as sleep } from 'node:timers/promises';
import { contended } from './errors.ts';

const maxAttempts = 200;
const deadlockDetected = '40P01';

/**
 * Repeats an optimistic statement until it succeeds. `work` returns undefined when the session changed between its snapshot and its write:
 * then nothing was written, but another writer has succeeded, so the session makes progress. A deadlock is repeated, too.
 *
 * @throws MeshError unavailable `session_contended` after 200 attempts
 */
export function untilCurrent<T>(work: () => Promise<T | undefined>): Promise<T> {
  // Mostly the first attempt succeeds: one promise more than that of the work.
  return work().then(
    (result) => result ?? repeat(work),
    (error: unknown) => passDeadlock(error) ?? repeat(work),
  );
}

async function repeat<T>(work: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 2; attempt <= maxAttempts; attempt++) {
    const result = await work().catch(passDeadlock);
    if (result !== undefined) return result;
    if (attempt > 3) await sleep(Math.random() * Math.min(attempt, 20));
  }
  throw contended();
}

function passDeadlock(error: unknown): undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === deadlockDetected) return undefined;
  }
  throw error;
}
