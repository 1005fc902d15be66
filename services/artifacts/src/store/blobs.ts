import type { Database, Queryable } from '@agentmesh/lib/pg';
import type { BlobName } from '../blobs/blob-store.ts';

const STAGE = {
  name: 'blob_stage',
  text: `insert into blobs (account_id, id, state) values ($1, $2, 'staged')`,
};

/** Says that an object is about to be written. */
export async function stageBlob(db: Queryable, { accountId, id }: BlobName): Promise<void> {
  await db.query(STAGE, [accountId, id]);
}

const DISCARD = {
  name: 'blob_discard',
  text: `with discarded as (
      update blobs set state = 'garbage', changed_at = now() where id = $1 and state = 'staged' returning id
    )
    select exists (select from blobs where id = $1) as known`,
};

/** A staged object is garbage from now on; one that a version has taken stays. False when nobody knows it: it was collected. */
export async function discardBlob(db: Queryable, id: string): Promise<boolean> {
  const [found] = await db.query<{ known: boolean }>(DISCARD, [id]);
  return found?.known === true;
}

const EXPIRE = {
  name: 'blobs_expire',
  text: `update blobs set state = 'garbage', changed_at = now()
    where state = 'staged' and changed_at < now() - make_interval(secs => $1)`,
};

/** What has been staged for longer is garbage: its save died, and can no longer commit. */
export async function expireStaged(db: Queryable, seconds: number): Promise<void> {
  await db.query(EXPIRE, [seconds]);
}

const TAKE = {
  text: `delete from blobs where id in (
      select id from blobs where state = 'garbage' and ($1::uuid is null or account_id = $1)
      order by changed_at limit $2 for update skip locked
    ) returning account_id, id`,
};

/**
 * Hands garbage to `remove` and forgets it when that resolves; answers how much there was. What another process is removing
 * is left to it.
 */
export function takeGarbage(
  db: Database,
  { accountId, limit }: { accountId?: string; limit: number },
  remove: (name: BlobName) => Promise<void>,
): Promise<number> {
  return db.transaction(async (tx) => {
    const rows = await tx.query<{ account_id: string; id: string }>(TAKE, [accountId ?? null, limit]);
    await Promise.all(rows.map((row) => remove({ accountId: row.account_id, id: row.id })));
    return rows.length;
  });
}
