import type { CountErased } from '@agentmesh/lib/bus';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from './context.ts';
import { deleteAccountRows, type DeletedRows } from './store/accounts.ts';
import { deleteGarbage } from './store/blobs.ts';

const batchSize = 100;

/**
 * Removes every row and every object of an account. The numbers are returned, and also given to `count` in the transaction that deletes the
 * rows. Idempotent: a second call finds nothing and counts zero. When removing objects fails, the rows are already gone; the next
 * call, or the garbage collector, removes the remaining objects. Throws `request_invalid` when `accountId` is not a UUID.
 */
export async function eraseArtifacts(
  { db, blobs }: Context,
  accountId: string,
  count: CountErased,
): Promise<DeletedRows> {
  checkAccountId(accountId);
  const deleted = await db.transaction(async (tx) => {
    const rows = await deleteAccountRows(tx, accountId);
    await count(tx, { ...rows });
    return rows;
  });
  const remove = blobs.remove.bind(blobs);
  while ((await deleteGarbage(db, { accountId, limit: batchSize }, remove)) === batchSize);
  await blobs.removeAccount(accountId);
  return deleted;
}
