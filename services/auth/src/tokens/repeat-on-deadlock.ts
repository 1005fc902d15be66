const deadlockDetected = '40P01';

/**
 * Calls `transact`, and once more where PostgreSQL has ended its transaction for a deadlock. For a transaction that locks an account and then deletes approvals
 * of programs: a process of the release before locks an approval first, and the account when it makes the token. The repetition waits for the token and
 * deletes it.
 */
export async function repeatOnDeadlock<T>(transact: () => Promise<T>): Promise<T> {
  try {
    return await transact();
  } catch (error) {
    if (!isDeadlock(error)) throw error;
    return transact();
  }
}

function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === deadlockDetected;
}
