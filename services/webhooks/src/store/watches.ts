import { createQuery, type Transaction } from '@agentmesh/lib/pg';

const deleteOfAccount = createQuery<{ accountId: string }, { one: number }>({
  text: (param) => `delete from watches where account_id = ${param.accountId} returning 1 as one`,
});

/** Deletes all watches of an account, which has no subscriptions any more, and returns their number. */
export async function deleteAccountWatches(tx: Transaction, accountId: string): Promise<number> {
  return (await deleteOfAccount(tx, { accountId })).length;
}
