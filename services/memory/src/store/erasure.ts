import type { Statement, Transaction } from '@agentmesh/lib/pg';
import type { Partition } from './partitions.ts';

const tables = ['postings', 'sources', 'entries', 'vectors'] as const;
const ofPartition = tables.map((table) => ({
  text: `delete from ${table} where account_id = $1 and partition_pk = $2`,
}));
const countOfPartition: Statement = {
  text: 'select count(*)::int as entries from entries where account_id = $1 and partition_pk = $2',
};

/** Deletes everything in a memory, whose partition is locked. Answers how many entries there were. */
export async function deletePartitionRows(tx: Transaction, { accountId, pk }: Partition): Promise<number> {
  const [row] = await tx.query<{ entries: number }>(countOfPartition, [accountId, pk]);
  for (const statement of ofPartition) await tx.query(statement, [accountId, pk]);
  return row?.entries ?? 0;
}

const lockAll: Statement = { text: 'select from partitions where account_id = $1 order by pk for update' };
const countOfAccount: Statement = { text: 'select count(*)::int as entries from entries where account_id = $1' };
const ofAccount = [...tables, 'usage', 'partitions'].map((table) => ({
  text: `delete from ${table} where account_id = $1`,
}));

/** Deletes all memories of an account, and what earlier deletions have left. Answers how many entries there were. */
export async function deleteAccountRows(tx: Transaction, accountId: string): Promise<number> {
  await tx.query(lockAll, [accountId]);
  const [row] = await tx.query<{ entries: number }>(countOfAccount, [accountId]);
  for (const statement of ofAccount) await tx.query(statement, [accountId]);
  return row?.entries ?? 0;
}
