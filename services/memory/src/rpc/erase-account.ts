import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../context.ts';
import { eraseAccount as eraseRows } from '../store/erasure.ts';
import type { MemoryRpc } from './index.ts';

/** Deletes whatever belongs to an account, also where the memory is switched off. */
export function eraseAccount({ db }: Context): MemoryRpc['eraseAccount'] {
  return async ({ accountId }) => {
    const id = checkAccountId(accountId);
    return { deletedEntries: await db.transaction((tx) => eraseRows(tx, id)) };
  };
}
