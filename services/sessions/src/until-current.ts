import { setTimeout as sleep } from 'node:timers/promises';
import { contended } from './errors.ts';

const maxAttempts = 200;
const deadlockDetected = '40P01';

/**
 * Runs an optimistic statement until it takes: `work` answers undefined when the session moved between its snapshot and its
 * write, and nothing was changed. Some writer has then won, so the session as a whole makes progress.
 */
export async function untilCurrent<T>(work: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
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
