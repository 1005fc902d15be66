import { answerDeletions, type CountErased, type HintHandler } from '@agentmesh/lib/bus';
import type { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import type { Context } from '../context.ts';
import { deleteAccountKeys } from '../store/saved-keys.ts';

/** Erases all keys of a deleted account, and confirms to auth how many. */
export function onAccountDeleted({ db, auth, log }: Context): HintHandler<typeof AccountDeletedSchema> {
  const erase = (accountId: string, count: CountErased) =>
    db.transaction(async (tx) => count(tx, { saved_keys: await deleteAccountKeys(tx, accountId) }));
  return answerDeletions({ db, auth, log, service: 'keys', erase });
}
