import { answerDeletions, type CountErased, type ConsumeHandler } from '@agentmesh/lib/bus';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import type { Context } from '../context.ts';
import { eraseMemories } from '../erase-memories.ts';

/** Erases the account's memories, also while MEMORY_ENABLED is false. */
export function onAccountDeleted(context: Context): ConsumeHandler<typeof AccountDeletedSchema> {
  const { db, auth, log } = context;
  const erase = (id: string, count: CountErased) => eraseMemories(context, checkAccountId(id), count);
  return answerDeletions({ db, auth, log, service: 'memory', erase });
}
