import { lockKey, type Transaction } from '@agentmesh/lib/pg';
import { deleteOldNotices } from '../../store/notices.ts';

/** Number of notices that an account keeps, the newest ones. */
const kept = 500;

/**
 * Stores a notice by `insert`, which returns no row when there is one already. Notices of an account are committed in the order of their ids, because a
 * watch asks for those behind the last one it has seen. Returns whether it was stored.
 */
export async function storeNotice(
  tx: Transaction,
  accountId: string,
  insert: () => Promise<readonly unknown[]>,
): Promise<boolean> {
  await lockKey(tx, 'notices', accountId);
  const added = await insert();
  await deleteOldNotices(tx, { accountId, kept });
  return added.length > 0;
}
