import type { Queryable } from '@agentmesh/lib/pg';

export interface AccountChanges {
  readonly cursor: bigint;
  readonly accounts: readonly ChangedAccount[];
}

export interface ChangedAccount {
  readonly accountId: string;
  /** Differs when its changes are others. */
  readonly fingerprint: bigint;
}

interface Row {
  readonly cursor: bigint;
  readonly account_id: string | null;
  readonly fingerprint: bigint | null;
}

/**
 * Accounts that changed since `cursor`, at most `limit`, and the cursor to go on with: the oldest transaction that had not ended.
 * Whatever commits later has that number or a higher one, so nothing is missed; what commits meanwhile may be answered twice.
 */
export async function readAccountChanges(
  db: Queryable,
  { cursor, limit }: { readonly cursor: bigint; readonly limit: number },
): Promise<AccountChanges> {
  const rows = await db.query<Row>(
    {
      name: 'auth_read_account_changes',
      text: `select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as cursor, account_id, fingerprint
        from (values (true)) one left join (
          select account_id::text, hashtextextended(string_agg(xid::text, ',' order by xid), 0) as fingerprint
          from account_changes where xid >= $1 group by account_id limit $2) changed on true`,
    },
    [cursor, limit],
  );
  const [first] = rows;
  if (first === undefined) throw new Error('an outer join answered no row');
  const accounts = rows.flatMap(({ account_id: accountId, fingerprint }) =>
    accountId === null || fingerprint === null ? [] : [{ accountId, fingerprint }],
  );
  return { cursor: first.cursor, accounts };
}

/** Removes what everybody has forgotten by now. */
export async function purgeAccountChanges(db: Queryable): Promise<void> {
  await db.query({ text: "delete from account_changes where changed_at < now() - interval '1 hour'" });
}
