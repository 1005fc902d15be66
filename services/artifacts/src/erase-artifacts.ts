import type { CountErased } from '@agentmesh/lib/bus';
import { deleteAccountKeys } from '@agentmesh/lib/idempotency';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from './context.ts';
import { removeGarbage } from './remove-garbage.ts';
import { deleteAccountRows, type DeletedRows, deleteUsage } from './store/accounts.ts';

/**
 * Removes every row and every object of an account. The numbers are returned, and also given to `count` in the transaction that deletes the
 * rows. Idempotent: a second call finds nothing and counts zero. When removing objects fails, the rows are already gone; the next
 * call, or the garbage collector, removes the remaining objects. Throws `request_invalid` when `accountId` is not a UUID.
 */
export async function eraseArtifacts(
  context: Pick<Context, 'db' | 'blobs'>,
  accountId: string,
  count: CountErased,
): Promise<DeletedRows> {
  const { db, blobs } = context;
  checkAccountId(accountId);
  const deleted = await db.forLongWork().transaction(async (tx) => {
    const rows = await deleteAccountRows(tx, accountId);
    await deleteAccountKeys(tx, accountId);
    await count(tx, { ...rows });
    return rows;
  });
  await deleteUsage(db, accountId);
  await removeGarbage(context, accountId);
  await blobs.removeAccount(accountId);
  return deleted;
}
