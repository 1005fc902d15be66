import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../context.ts';
import { eraseMemories } from '../erase-memories.ts';
import type { Handlers } from './handlers.ts';

/** Deletes all data of an account, also while MEMORY_ENABLED is false. */
export function eraseAccount({ db, jobs }: Context): Handlers['eraseAccount'] {
  return async ({ accountId }) => {
    const id = checkAccountId(accountId);
    return { deletedEntries: await db.transaction((tx) => eraseMemories(tx, jobs, id)) };
  };
}
