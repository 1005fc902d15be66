import { answerDeletions, type CountErased, type ConsumeHandler } from '@agentmesh/lib/bus';
import type { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import type { Context } from '../context.ts';
import { deleteAccountRows } from '../store/accounts.ts';

/** Erases all data of a deleted account, and confirms to auth how much. */
export function onAccountDeleted({ db, auth, log }: Context): ConsumeHandler<typeof AccountDeletedSchema> {
  const erase = (accountId: string, count: CountErased) =>
    db.transaction(async (tx) => count(tx, await deleteAccountRows(tx, accountId)));
  return answerDeletions({ db, auth, log, service: 'keys', erase });
}
