import { createQuery, type Database, type Queryable } from '@agentmesh/lib/pg';
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

interface PickValues {
  /** Null: objects of all accounts. */
  readonly accountId: string | null;
  /** Objects that became garbage, or could not be removed, after this time are left out. In the form that PostgreSQL prints. */
  readonly before: string;
  readonly limit: number;
}

const pickGarbage = createQuery<PickValues, { account_id: string; id: string }>({
  text: (param) => `select account_id, id from blobs
    where state = 'garbage' and changed_at <= ${param.before}::timestamptz and (${param.accountId}::uuid is null or account_id = ${param.accountId})
    order by changed_at limit ${param.limit} for update skip locked`,
});

const forgetRemoved = createQuery<{ ids: readonly string[] }>({
  text: (param) => `delete from blobs where id = any(${param.ids}::uuid[])`,
});

/** Behind all other garbage, and out of reach of this collection. */
const postpone = createQuery<{ ids: readonly string[] }>({
  text: (param) => `update blobs set changed_at = clock_timestamp() where id = any(${param.ids}::uuid[])`,
});

const readClock = createQuery<object, { now: string }>({ text: () => 'select clock_timestamp()::text as now' });

/** The time of the database, as PostgreSQL prints it: a JavaScript date has no microseconds. */
export async function selectNow(db: Queryable): Promise<string> {
  const [row] = await readClock(db, {});
  if (row === undefined) throw new Error('The database did not tell its time.');
  return row.now;
}

export interface GarbageBatch extends Omit<PickValues, 'accountId'> {
  readonly accountId?: string | undefined;
}

/** Objects that a batch has picked, and the errors of those that could not be removed. */
export interface RemovedBatch {
  readonly picked: number;
  readonly failures: readonly unknown[];
}

/**
 * Calls `remove` for at most `limit` garbage objects, of one account when `accountId` is given. The rows of those that were removed are deleted;
 * the others stay for a later collection. Objects that another process is removing are skipped.
 */
export function deleteGarbage(
  db: Database,
  { accountId, before, limit }: GarbageBatch,
  remove: (name: BlobName) => Promise<void>,
): Promise<RemovedBatch> {
  return db.transaction(async (tx) => {
    const rows = await pickGarbage(tx, { accountId: accountId ?? null, before, limit });
    const outcomes = await Promise.allSettled(rows.map((row) => remove({ accountId: row.account_id, id: row.id })));
    const isRemoved = (index: number): boolean => outcomes[index]?.status === 'fulfilled';
    await forgetRemoved(tx, { ids: rows.filter((_, index) => isRemoved(index)).map(({ id }) => id) });
    await postpone(tx, { ids: rows.filter((_, index) => !isRemoved(index)).map(({ id }) => id) });
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    return { picked: rows.length, failures };
  });
}
