import type { Queryable } from '@agentmesh/lib/pg';

export interface AccountChanges {
  readonly cursor: bigint;
  readonly account_ids: string[];
}

/**
 * Accounts that changed since `cursor`, at most `limit`, and the cursor to go on with: the oldest transaction that had not ended.
 * Whatever commits later has that number or a higher one, so nothing is missed; what commits meanwhile may be answered twice.
 */
export async function readAccountChanges(
  db: Queryable,
  { cursor, limit }: { readonly cursor: bigint; readonly limit: number },
): Promise<AccountChanges> {
  const [row] = await db.query<AccountChanges>(
    {
      name: 'auth_read_account_changes',
      text: `select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as cursor,
        array(select distinct account_id::text from account_changes where xid >= $1 limit $2) as account_ids`,
    },
    [cursor, limit],
  );
  if (row === undefined) throw new Error('a select without a table answered no row');
  return row;
}

/** Removes what everybody has forgotten by now. */
export async function purgeAccountChanges(db: Queryable): Promise<void> {
  await db.query({ text: "delete from account_changes where changed_at < now() - interval '1 hour'" });
}
