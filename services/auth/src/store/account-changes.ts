import type { Queryable } from '@agentmesh/lib/pg';

export interface AccountChanges {
  readonly cursor: bigint;
  readonly accounts: readonly ChangedAccount[];
}

export interface ChangedAccount {
  readonly accountId: string;
  /** Changes with every change of the account. */
  readonly fingerprint: bigint;
}

interface Row {
  readonly cursor: bigint;
  readonly account_id: string | null;
  readonly fingerprint: bigint | null;
}

/**
 * Accounts that changed since `cursor`, at most `limit`, and the next cursor: the id of the oldest transaction that had not ended. A
 * transaction that commits later has this id or a higher one, so no change is missed; some may be returned twice.
 */
export async function selectAccountChanges(
  db: Queryable,
  { cursor, limit }: { readonly cursor: bigint; readonly limit: number },
): Promise<AccountChanges> {
  const rows = await db.query<Row>(
    {
      name: 'list-account-changes',
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

/** Deletes changes that are over an hour old. By then every gateway has read them. */
export async function purgeAccountChanges(db: Queryable): Promise<void> {
  await db.query({ text: "delete from account_changes where changed_at < now() - interval '1 hour'" });
}
