import type { CountErased } from '@agentmesh/lib/bus';
import { checkAccountId } from './artifact-key.ts';
import type { Context } from './context.ts';
import { eraseRows, type Erased } from './store/accounts.ts';
import { takeGarbage } from './store/blobs.ts';

const batch = 100;

/**
 * Removes every row and every object of an account, and answers what there was, which `count` is told too. Idempotent; when it throws half-way the rows are
 * gone, and the next call or the collector removes the objects that are left.
 */
export async function eraseAccount(
  { db, blobs }: Context,
  accountId: string,
  count: CountErased = async () => {},
): Promise<Erased> {
  checkAccountId(accountId);
  const erased = await db.transaction(async (tx) => {
    const rows = await eraseRows(tx, accountId);
    await count(tx, { ...rows });
    return rows;
  });
  const remove = blobs.remove.bind(blobs);
  while ((await takeGarbage(db, { accountId, limit: batch }, remove)) === batch);
  await blobs.removeAccount(accountId);
  return erased;
}
