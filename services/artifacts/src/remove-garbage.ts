import { withinDeadline } from '@agentmesh/lib/wait';
import type { BlobName } from './blobs/blob-store.ts';
import type { Context } from './context.ts';
import { storeUnavailable } from './errors.ts';
import { deleteGarbage, selectNow } from './store/blobs.ts';

const batchSize = 100;
/** Shorter than PostgreSQL lets a transaction be idle. */
const removeTimeoutMs = 10_000;

/**
 * Removes garbage objects, of one account when `accountId` is given. An object that cannot be removed does not keep the others: each is tried
 * once, and then the first error is thrown. Ends early when the store removes none of a whole batch.
 */
export async function removeGarbage({ db, blobs }: Pick<Context, 'db' | 'blobs'>, accountId?: string): Promise<void> {
  const before = await selectNow(db);
  const remove = (name: BlobName): Promise<void> =>
    withinDeadline(blobs.remove(name), removeTimeoutMs, () => {
      throw storeUnavailable(new Error(`The object ${name.id} was not removed in ${removeTimeoutMs} ms.`));
    });
  const failures: unknown[] = [];
  for (let picked = batchSize; picked === batchSize; ) {
    const batch = await deleteGarbage(db, { accountId, before, limit: batchSize }, remove);
    failures.push(...batch.failures.slice(0, 1));
    picked = batch.failures.length === batchSize ? 0 : batch.picked;
  }
  if (failures.length > 0) throw failures[0];
}
