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
export async function deletePartitionRows(
  tx: Transaction,
  { accountId, pk }: Pick<Partition, 'accountId' | 'pk'>,
): Promise<number> {
  const [row] = await tx.query<{ entries: number }>(countOfPartition, [accountId, pk]);
  for (const statement of ofPartition) await tx.query(statement, [accountId, pk]);
  return row?.entries ?? 0;
}

const lockAll: Statement = { text: 'select pk from partitions where account_id = $1 order by pk for update' };
const dropUsage: Statement = { text: 'delete from usage where account_id = $1' };
const dropAll: Statement = { text: 'delete from partitions where account_id = $1' };

/** Deletes all memories of an account. Answers how many entries there were. */
export async function deleteAccountRows(tx: Transaction, accountId: string): Promise<number> {
  let entries = 0;
  for (const { pk } of await tx.query<{ pk: bigint }>(lockAll, [accountId])) {
    entries += await deletePartitionRows(tx, { accountId, pk });
  }
  await tx.query(dropUsage, [accountId]);
  await tx.query(dropAll, [accountId]);
  return entries;
}
