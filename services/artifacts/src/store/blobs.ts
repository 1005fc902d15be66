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
      update blobs set state = 'garbage', changed_at = now() where account_id = $1 and id = $2 and (state = 'staged') is true returning id
    )
    select exists (select from blobs where account_id = $1 and id = $2) as known`,
};

/** Makes a staged object garbage; a live one stays. Returns false when the object has no row, because it was collected. */
export async function discardStagedBlob(db: Queryable, { accountId, id }: BlobName): Promise<boolean> {
  const [found] = await db.query<{ known: boolean }>(discardStaged, [accountId, id]);
  return found?.known === true;
}

const isExpired = `state = 'staged' and changed_at < now() - make_interval(secs => `;
const selectExpiring = {
  name: 'select-accounts-with-expired-blobs',
  text: `select distinct account_id as "accountId" from blobs where ${isExpired}$1)`,
};
const expireStaged = {
  name: 'expire-staged-blobs',
  text: `update blobs set state = 'garbage', changed_at = now() where account_id = $2 and ${isExpired}$1)`,
};

/** Makes objects garbage that have been staged for more than `seconds`: their save has died. It can no longer commit. */
export async function expireStagedBlobs(db: Queryable, seconds: number): Promise<void> {
  const accounts = await db.query<{ accountId: string }>(selectExpiring, [seconds]);
  for (const { accountId } of accounts) await db.query(expireStaged, [seconds, accountId]);
}

interface PickValues {
  /** Objects that became garbage, or could not be removed, after this time are left out. In the form that PostgreSQL prints. */
  readonly before: string;
  readonly limit: number;
}

type PickedRow = Readonly<Record<'account_id' | 'id', string>>;

const pickGarbage = createQuery<PickValues, PickedRow>({
  name: 'pick-garbage',
  text: (
    param,
  ) => `select account_id, id from blobs where state = 'garbage' and changed_at <= ${param.before}::timestamptz
    order by changed_at limit ${param.limit} for update skip locked`,
});

const pickGarbageOfAccount = createQuery<PickValues & { readonly accountId: string }, PickedRow>({
  name: 'pick-garbage-of-account',
  text: (param) => `select account_id, id from blobs
    where account_id = ${param.accountId} and state = 'garbage' and changed_at <= ${param.before}::timestamptz
    order by changed_at limit ${param.limit} for update skip locked`,
});

interface BlobsOfAccount {
  readonly accountId: string;
  readonly ids: readonly string[];
}

const forgetRemoved = createQuery<BlobsOfAccount>({
  text: (param) => `delete from blobs where account_id = ${param.accountId} and id = any(${param.ids}::uuid[])`,
});

/** Behind all other garbage, and out of reach of this collection. */
const postpone = createQuery<BlobsOfAccount>({
  text: (param) => `update blobs set changed_at = clock_timestamp()
    where account_id = ${param.accountId} and id = any(${param.ids}::uuid[])`,
});

const readClock = createQuery<object, { now: string }>({ text: () => 'select clock_timestamp()::text as now' });

/** The time of the database, as PostgreSQL prints it: a JavaScript date has no microseconds. */
export async function selectNow(db: Queryable): Promise<string> {
  const [row] = await readClock(db, {});
  if (row === undefined) throw new Error('The database did not tell its time.');
  return row.now;
}

export interface GarbageBatch extends PickValues {
  /** Undefined: objects of all accounts. */
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
    const page = { before, limit };
    const rows = await (accountId === undefined
      ? pickGarbage(tx, page)
      : pickGarbageOfAccount(tx, { accountId, ...page }));
    const outcomes = await Promise.allSettled(rows.map((row) => remove({ accountId: row.account_id, id: row.id })));
    const isRemoved = (index: number): boolean => outcomes[index]?.status === 'fulfilled';
    for (const blobs of byAccount(rows.filter((_, index) => isRemoved(index)))) await forgetRemoved(tx, blobs);
    for (const blobs of byAccount(rows.filter((_, index) => !isRemoved(index)))) await postpone(tx, blobs);
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    return { picked: rows.length, failures };
  });
}

function byAccount(rows: readonly PickedRow[]): BlobsOfAccount[] {
  const grouped = Map.groupBy(rows, (row) => row.account_id);
  return Array.from(grouped, ([accountId, some]) => ({ accountId, ids: some.map(({ id }) => id) }));
}

const findLive = createQuery<object, { found: boolean }>({
  name: 'is-any-blob-live',
  text: () => `select exists (select from blobs where state = 'live') as found`,
});

/** Whether there is an object that a payload is in. */
export async function hasLiveBlobs(db: Queryable): Promise<boolean> {
  const [row] = await findLive(db, {});
  return row?.found === true;
}
