import type { Transaction } from './database.ts';

/** Rows for the keys of one purpose. Two keys that share a row wait for each other without need. */
const rowsOfPurpose = 256;

const nameOf = (purpose: string, key: string) => [purpose, key, rowsOfPurpose];
const name = `$1::text || ' ' || (hashtextextended($2::text, 0) & ($3::integer - 1))`;

const lockRow = { name: 'lock-key', text: `select from locks where name = ${name} for update` };
const insertRow = { name: 'insert-lock', text: `insert into locks(name) values (${name}) on conflict do nothing` };

/**
 * Lets others who lock the same key for the same purpose wait until the transaction ends. The keys share 256 rows of the service's table `locks`, so it stays small. A
 * transaction takes one such lock at most: two could wait for each other.
 */
export async function lockKey(tx: Transaction, purpose: string, key: string): Promise<void> {
  const values = nameOf(purpose, key);
  if ((await tx.query(lockRow, values)).length > 0) return;
  await tx.query(insertRow, values);
  await tx.query(lockRow, values);
}
