import { createQuery, type Queryable, type Transaction } from '@agentmesh/lib/pg';

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

const deleteOld = createQuery<{ before: Date; limit: number }, { one: number }>({
  text: (param) => `delete from logs where ctid = any(array(
      select ctid from logs where completed_at < ${param.before} order by completed_at limit ${param.limit}
      for update skip locked
    )) returning 1 as one`,
});

/** Deletes at most `limit` logs that ended before a time, and returns their number. */
export async function deleteOldLogs(db: Queryable, values: { before: Date; limit: number }): Promise<number> {
  return (await deleteOld(db, values)).length;
}
