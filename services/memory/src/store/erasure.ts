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

const batch = 50;
const lockSome: Statement = {
  text: `select pk from partitions where account_id = $1 and pk > $2 order by pk limit ${batch} for update`,
};
const dropSome: Statement = { text: 'delete from partitions where account_id = $1 and pk = any($2::bigint[])' };

/**
 * Deletes the next fifty memories of an account, behind the one with the key `behind`: a search from the first key on would pass all that were deleted before. Each
 * has statements of its own, because PostgreSQL limits the time of a statement. Answers the last key, undefined when none was left, and how many entries there were.
 */
export async function deleteNextPartitions(
  tx: Transaction,
  { accountId, behind }: { readonly accountId: string; readonly behind: bigint },
): Promise<{ last: bigint | undefined; entries: number }> {
  const pks = (await tx.query<{ pk: bigint }>(lockSome, [accountId, behind])).map(({ pk }) => pk);
  let entries = 0;
  for (const pk of pks) entries += await deletePartitionRows(tx, { accountId, pk });
  await tx.query(dropSome, [accountId, pks]);
  return { last: pks.at(-1), entries };
}

const countOfAccount: Statement = { text: 'select count(*)::int as entries from entries where account_id = $1' };
// Memories first: an adding that still holds one is waited for before its entries go.
const ofAccount = ['partitions', ...tables, 'usage'].map((table) => ({
  text: `delete from ${table} where account_id = $1`,
}));

/** Deletes what the batches have passed: a memory that was being added meanwhile, and postings that deletions have left. Answers how many entries there were. */
export async function deleteRestOfAccount(tx: Transaction, accountId: string): Promise<number> {
  const [row] = await tx.query<{ entries: number }>(countOfAccount, [accountId]);
  for (const statement of ofAccount) await tx.query(statement, [accountId]);
  return row?.entries ?? 0;
}
