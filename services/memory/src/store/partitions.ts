import type { Queryable, Statement, Transaction } from '@agentmesh/lib/pg';
import type { KeyParameters } from '../memory-key.ts';

/** One user's memory in one application. */
export interface Partition {
  readonly accountId: string;
  readonly pk: bigint;
  readonly nextPlace: number;
  readonly languages: readonly string[];
}

interface Row {
  account_id: string;
  pk: bigint;
  next_place: number;
  languages: string[];
}

const columns = 'account_id, pk, next_place, languages';
const named = 'account_id = $1 and app_name = $2 and user_id = $3';

const find: Statement = { name: 'find-partition', text: `select ${columns} from partitions where ${named}` };
const lock: Statement = { name: 'lock-partition', text: `select ${columns} from partitions where ${named} for update` };
const create: Statement = {
  name: 'insert-partition',
  text: 'insert into partitions (account_id, app_name, user_id) values ($1, $2, $3) on conflict do nothing',
};

/** The memory of this key, or undefined when nothing was ever added to it. */
export async function findPartition(db: Queryable, key: KeyParameters): Promise<Partition | undefined> {
  return toPartition(await db.query<Row>(find, key));
}

/** Like `findPartition`, and locks the memory: no other transaction changes it until this one has ended. */
export async function lockPartition(tx: Transaction, key: KeyParameters): Promise<Partition | undefined> {
  return toPartition(await tx.query<Row>(lock, key));
}

/** Like `lockPartition`, and creates the memory when there is none. */
export async function lockOrInsertPartition(tx: Transaction, key: KeyParameters): Promise<Partition> {
  for (;;) {
    const found = await lockPartition(tx, key);
    if (found !== undefined) return found;
    await tx.query(create, key);
  }
}

const listKeys: Statement = {
  name: 'list-partition-keys',
  text: `select app_name as "appName", user_id as "userId" from partitions
    where account_id = $1 and (app_name, user_id) > ($2, $3) order by app_name, user_id limit $4`,
};

/** The keys of memories of an account behind a key, in their order. Empty names stand before all. */
export function selectPartitionKeys(
  db: Queryable,
  after: KeyParameters,
  limit: number,
): Promise<{ appName: string; userId: string }[]> {
  return db.query(listKeys, [...after, limit]);
}

const advance: Statement = {
  name: 'update-partition',
  text: 'update partitions set next_place = $3, languages = $4::text[] where account_id = $1 and pk = $2',
};

/** Stores the next free place and the languages of the entries. */
export async function updatePartition(
  tx: Transaction,
  { accountId, pk, nextPlace, languages }: Partition,
): Promise<void> {
  await tx.query(advance, [accountId, pk, nextPlace, languages]);
}

const ofMemory = 'from entries e where e.account_id = $1 and e.partition_pk = $2';
const removeEmpty: Statement = {
  name: 'delete-empty-partition',
  text: `with source as (
      delete from sources where account_id = $1 and partition_pk = $2 and session_id = $3
        and not exists (select ${ofMemory} and e.session_id = $3 limit 1)
    ), gone as (
      delete from partitions where account_id = $1 and pk = $2 and not exists (select ${ofMemory} limit 1) returning pk
    )
    delete from postings where account_id = $1 and partition_pk = $2 and exists (select from gone)`,
};

/**
 * Deletes the source of a session that has no entries, and the memory when it has none. So an account has no more of them than entries, which are limited. Postings are
 * left when PostgreSQL has other stems than when they were added. The transaction holds the memory's lock.
 */
export async function deleteEmpty(tx: Transaction, { accountId, pk }: Partition, sessionId: string): Promise<void> {
  await tx.query(removeEmpty, [accountId, pk, sessionId]);
}

function toPartition([row]: Row[]): Partition | undefined {
  if (row === undefined) return undefined;
  const { account_id: accountId, next_place: nextPlace, pk, languages } = row;
  return { accountId, pk, nextPlace, languages };
}
