import type { Queryable, Statement, Transaction } from '@agentmesh/lib/pg';
import type { KeyParameters } from '../memory-key.ts';
import type { Partition } from './partitions.ts';

/** How much of a session has been added. */
export interface Source {
  /** Handle of the session: a new session with the same id has another one. */
  readonly sessionPk: bigint;
  /** All events up to this sequence are entries. */
  readonly lastSeq: number;
}

interface Row {
  session_pk: bigint;
  last_seq: number;
}

const find: Statement = {
  name: 'find-source',
  text: `select s.session_pk, s.last_seq from partitions p join sources s on s.partition_pk = p.pk
    where p.account_id = $1 and p.app_name = $2 and p.user_id = $3 and s.session_id = $4`,
};

export async function findSource(db: Queryable, key: KeyParameters, sessionId: string): Promise<Source | undefined> {
  const [row] = await db.query<Row>(find, [...key, sessionId]);
  return row === undefined ? undefined : { sessionPk: row.session_pk, lastSeq: row.last_seq };
}

const save: Statement = {
  name: 'upsert-source',
  text: `insert into sources (account_id, partition_pk, session_id, session_pk, last_seq) values ($1, $2, $3, $4, $5)
    on conflict (partition_pk, session_id) do update set session_pk = excluded.session_pk, last_seq = excluded.last_seq`,
};

export async function upsertSource(
  tx: Transaction,
  { accountId, pk }: Partition,
  { sessionId, sessionPk, lastSeq }: Source & { readonly sessionId: string },
): Promise<void> {
  await tx.query(save, [accountId, pk, sessionId, sessionPk, lastSeq]);
}

const rewind: Statement = {
  name: 'update-source-to-start',
  text: 'update sources set last_seq = 0 where partition_pk = $1 and session_id = $2',
};

/** Resets a source: the next AddSession reads the session from its first event. */
export async function updateSourceToStart(tx: Transaction, { pk }: Partition, sessionId: string): Promise<void> {
  await tx.query(rewind, [pk, sessionId]);
}

const forget: Statement = {
  name: 'delete-source',
  text: 'delete from sources where partition_pk = $1 and session_id = $2',
};

export async function deleteSource(tx: Transaction, { pk }: Partition, sessionId: string): Promise<void> {
  await tx.query(forget, [pk, sessionId]);
}
