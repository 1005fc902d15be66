import type { Queryable, Transaction } from '@agentmesh/lib/pg';

/** How much of an account was deleted. */
export interface DeletedRows {
  readonly versions: bigint;
  /** Distinct payloads. */
  readonly payloads: bigint;
  /** Bytes of these payloads together. */
  readonly bytes: bigint;
}

const discardStaged = {
  text: `update blobs set state = 'garbage', changed_at = now() where account_id = $1 and state = 'staged'`,
};
const deleteArtifacts = { text: 'delete from artifacts where account_id = $1' };
const deleteVersions = {
  text: 'with gone as (delete from versions where account_id = $1 returning 1) select count(*) as number from gone',
};
const deletePayloads = {
  text: `with gone as (delete from payloads where account_id = $1 returning size)
    select count(*) as number, coalesce(sum(size), 0)::bigint as bytes from gone`,
};
const discardLive = {
  text: `update blobs set state = 'garbage', changed_at = now() where account_id = $1 and state = 'live'`,
};

/**
 * Deletes every row of an account and makes its objects garbage. A save in progress fails, because its staged object is gone. Rows are
 * locked in the same order as by saves and deletes: staged objects, artifacts, payloads, live objects.
 */
export async function deleteAccountRows(tx: Transaction, accountId: string): Promise<DeletedRows> {
  await tx.query(discardStaged, [accountId]);
  await tx.query(deleteArtifacts, [accountId]);
  const [versions] = await tx.query<{ number: bigint }>(deleteVersions, [accountId]);
  const [payloads] = await tx.query<{ number: bigint; bytes: bigint }>(deletePayloads, [accountId]);
  await tx.query(discardLive, [accountId]);
  return { versions: versions?.number ?? 0n, payloads: payloads?.number ?? 0n, bytes: payloads?.bytes ?? 0n };
}

/** Deletes the sums of an account. Call it after its rows are gone: until then a replica may write them again. */
export async function deleteUsage(db: Queryable, accountId: string): Promise<void> {
  await db.query({ text: 'delete from usage where account_id = $1' }, [accountId]);
}
