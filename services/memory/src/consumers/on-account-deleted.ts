import { answerDeletions, type ConsumeHandler } from '@agentmesh/lib/bus';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import type { Context } from '../context.ts';
import { eraseMemories } from '../erase-memories.ts';

/** Erases the account's memories, also while MEMORY_ENABLED is false. */
export function onAccountDeleted({ db, auth, log, jobs }: Context): ConsumeHandler<typeof AccountDeletedSchema> {
  return answerDeletions({
    db,
    auth,
    log,
    service: 'memory',
    erase: (id, count) =>
      db
        .forLongWork()
        .transaction(async (tx) => count(tx, { entries: await eraseMemories(tx, jobs, checkAccountId(id)) })),
  });
}
