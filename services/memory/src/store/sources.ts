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
  // No join: while the table has no statistics, PostgreSQL would look for the session in all memories of the account.
  text: `select session_pk, last_seq from sources where account_id = $1 and partition_pk = (
      select pk from partitions where account_id = $1 and app_name = $2 and user_id = $3
    ) and session_id = $4`,
};

export async function findSource(db: Queryable, key: KeyParameters, sessionId: string): Promise<Source | undefined> {
  const [row] = await db.query<Row>(find, [...key, sessionId]);
  return row === undefined ? undefined : { sessionPk: row.session_pk, lastSeq: row.last_seq };
}

const save: Statement = {
  name: 'upsert-source',
  text: `insert into sources (account_id, partition_pk, session_id, session_pk, last_seq) values ($1, $2, $3, $4, $5)
    on conflict (account_id, partition_pk, session_id) do update set session_pk = excluded.session_pk, last_seq = excluded.last_seq`,
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
  text: 'update sources set last_seq = 0 where account_id = $1 and partition_pk = $2 and session_id = $3',
};

/** Resets a source: the next AddSession reads the session from its first event. */
export async function updateSourceToStart(
  tx: Transaction,
  { accountId, pk }: Partition,
  sessionId: string,
): Promise<void> {
  await tx.query(rewind, [accountId, pk, sessionId]);
}
