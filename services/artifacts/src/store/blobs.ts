import type { Database, Queryable } from '@agentmesh/lib/pg';
import type { BlobName } from '../blobs/blob-store.ts';

const insertStaged = {
  name: 'insert-staged-blob',
  text: `insert into blobs (account_id, id, state) values ($1, $2, 'staged')`,
};

/** Records an object before its first byte is written. */
export async function insertStagedBlob(db: Queryable, { accountId, id }: BlobName): Promise<void> {
  await db.query(insertStaged, [accountId, id]);
}

const discardStaged = {
  name: 'discard-staged-blob',
  text: `with discarded as (
      update blobs set state = 'garbage', changed_at = now() where id = $1 and (state = 'staged') is true returning id
    )
    select exists (select from blobs where id = $1) as known`,
};

/** Makes a staged object garbage; a live one stays. Returns false when the object has no row, because it was collected. */
export async function discardStagedBlob(db: Queryable, id: string): Promise<boolean> {
  const [found] = await db.query<{ known: boolean }>(discardStaged, [id]);
  return found?.known === true;
}

const expireStaged = {
  name: 'expire-staged-blobs',
  text: `update blobs set state = 'garbage', changed_at = now()
    where state = 'staged' and changed_at < now() - make_interval(secs => $1)`,
};

/** Makes objects garbage that have been staged for more than `seconds`: their save has died. It can no longer commit. */
export async function expireStagedBlobs(db: Queryable, seconds: number): Promise<void> {
  await db.query(expireStaged, [seconds]);
}

const deleteSomeGarbage = {
  text: `delete from blobs where id in (
      select id from blobs where state = 'garbage' and ($1::uuid is null or account_id = $1)
      order by changed_at limit $2 for update skip locked
    ) returning account_id, id`,
};

/**
 * Calls `remove` for at most `limit` garbage objects, of one account when `accountId` is given, and deletes their rows when all calls
 * succeed. Returns their number. Objects that another process is removing are skipped.
 */
export function deleteGarbage(
  db: Database,
  { accountId, limit }: { accountId?: string; limit: number },
  remove: (name: BlobName) => Promise<void>,
): Promise<number> {
  return db.transaction(async (tx) => {
    const rows = await tx.query<{ account_id: string; id: string }>(deleteSomeGarbage, [accountId ?? null, limit]);
    await Promise.all(rows.map((row) => remove({ accountId: row.account_id, id: row.id })));
    return rows.length;
  });
}
