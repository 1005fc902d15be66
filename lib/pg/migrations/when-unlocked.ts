import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** While a statement waits for the lock of a table, the statements of the service wait behind it. */
const lockTimeoutMs = 2_000;
const pauseMs = 1_000;
const mostAttempts = 100;

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/**
 * Runs `work` in a transaction on `client`. When one of its locks is not free within two seconds, everything is rolled back, so that other
 * statements get their turn, and tried again a second later. Throws PostgreSQL's error after 100 attempts.
 */
export async function whenUnlocked(client: pg.Client, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const error = await failureOf(client, work);
    if (error === undefined) return;
    if (!isLocked(error) || attempt === mostAttempts) throw error;
    await sleep(pauseMs);
  }
}

async function failureOf(client: pg.Client, work: () => Promise<void>): Promise<Error | undefined> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
    await work();
    await client.query('commit');
    return undefined;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    return error instanceof Error ? error : new Error(String(error));
  }
}

function isLocked(error: Error): boolean {
  return error instanceof pg.DatabaseError && (error.code === LOCK_NOT_AVAILABLE || error.code === DEADLOCK);
}
