import { createQuery, type Transaction } from '@agentmesh/lib/pg';

const deleteLogs = createQuery<{ accountId: string }, { one: number }>({
  text: (param) => `delete from logs where account_id = ${param.accountId} returning 1 as one`,
});

/** Deletes all logs of an account and returns their number. */
export async function deleteAccountLogs(tx: Transaction, accountId: string): Promise<number> {
  return (await deleteLogs(tx, { accountId })).length;
}

const deleteMailboxes = createQuery<{ accountId: string }, { one: number }>({
  text: (param) => `delete from mailboxes where account_id = ${param.accountId} returning 1 as one`,
});

/** Deletes the reading state of an account's mailboxes and returns their number. Jobs that read them can write no more. */
export async function deleteAccountMailboxes(tx: Transaction, accountId: string): Promise<number> {
  return (await deleteMailboxes(tx, { accountId })).length;
}
