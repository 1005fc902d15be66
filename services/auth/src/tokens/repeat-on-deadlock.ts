import { setTimeout as sleep } from 'node:timers/promises';

const deadlockDetected = '40P01';
const mostTries = 4;
/** The other transaction gets the lock meanwhile: a repetition at once may take it again before the other one is awake. */
const pauseMs = 100;

/**
 * Calls `transact`, and again where PostgreSQL has ended its transaction for a deadlock. For a transaction that locks an account and then deletes approvals
 * of programs: a process of the release before locks an approval first, and the account when it makes the token. The repetition waits for the token and
 * deletes it.
 */
export async function repeatOnDeadlock<T>(transact: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await transact();
    } catch (error) {
      if (!isDeadlock(error) || tries === mostTries) throw error;
    }
    await sleep(pauseMs);
  }
}

function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === deadlockDetected;
}
