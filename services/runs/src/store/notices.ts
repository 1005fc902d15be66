import { createQuery, type Transaction } from '@agentmesh/lib/pg';
import { hashOfNames } from '../hash-of-names.ts';

export interface NoticeRow {
  readonly id: bigint;
  readonly type: string;
  readonly title: string;
  readonly body: string;
  readonly app_name: string;
  readonly user_id: string;
  readonly session_id: string;
  readonly invocation_id: string;
  readonly created_at: Date;
  readonly read_at: Date | null;
}

interface Account {
  readonly accountId: string;
}

interface NewNotice extends Account {
  readonly type: string;
  readonly title: string;
  readonly body: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly invocationId: string;
}

const columns = `id, type, title, body, app_name, user_id, session_id, coalesce(invocation_id, namesake_id, '') as invocation_id, created_at, read_at`;

const insertNotice = createQuery<NewNotice, { id: bigint }>({
  name: 'insert-notice',
  text: (param) => `insert into notices (account_id, type, title, body, app_name, user_id, session_id, invocation_id)
    values (${param.accountId}, ${param.type}, ${param.title}, ${param.body}, ${param.appName}, ${param.userId},
      ${param.sessionId}, ${param.invocationId}) on conflict (account_id, invocation_id) do nothing returning id`,
});

const insertNamesake = createQuery<NewNotice & { key: string }, { id: bigint }>({
  name: 'insert-notice-of-namesake',
  text: (
    param,
  ) => `insert into notices (account_id, source_key, type, title, body, app_name, user_id, session_id, namesake_id)
    select ${param.accountId}, ${param.key}, ${param.type}, ${param.title}, ${param.body}, ${param.appName}, ${param.userId},
      ${param.sessionId}, ${param.invocationId}
    where not exists (
      select from notices where account_id = ${param.accountId} and invocation_id = ${param.invocationId}
        and app_name = ${param.appName} and user_id = ${param.userId} and session_id = ${param.sessionId}
    ) on conflict (account_id, source_key) do nothing returning id`,
});

/** Stores an unread notice. No row when the run has one already. A run of another session with the same id may have one, too. */
export async function insertRunNotice(tx: Transaction, notice: NewNotice): Promise<readonly { id: bigint }[]> {
  const rows = await insertNotice(tx, notice);
  if (rows.length > 0) return rows;
  const { appName, userId, sessionId, invocationId } = notice;
  return insertNamesake(tx, {
    ...notice,
    key: `run:${hashOfNames(appName, userId, sessionId, invocationId).toString('hex')}`,
  });
}

interface NewSourceNotice extends Account {
  readonly key: string;
  readonly type: string;
  readonly title: string;
  readonly body: string;
}

/** Stores an unread notice that is not about a run. No row when there is one with this key. */
export const insertSourceNotice = createQuery<NewSourceNotice, { id: bigint }>({
  name: 'insert-source-notice',
  text: (param) => `insert into notices (account_id, source_key, type, title, body, app_name, user_id, session_id)
    values (${param.accountId}, ${param.key}, ${param.type}, ${param.title}, ${param.body}, '', '', '')
    on conflict (account_id, source_key) do nothing returning id`,
});

/** Deletes all but the newest `kept` notices of an account. */
export const deleteOldNotices = createQuery<Account & { kept: number }>({
  name: 'delete-old-notices',
  text: (param) => `delete from notices where account_id = ${param.accountId} and id <= (
      select id from notices where account_id = ${param.accountId} order by id desc offset ${param.kept}::integer limit 1
    )`,
});

interface Page extends Account {
  readonly unreadOnly: boolean;
  readonly beforeId: bigint;
  readonly limit: number;
}

/** A page of notices, newest first. */
export const selectNotices = createQuery<Page, NoticeRow>({
  name: 'select-notices',
  text: (param) => `select ${columns} from notices
    where account_id = ${param.accountId} and (${param.beforeId}::bigint = 0 or id < ${param.beforeId}::bigint)
      and (not ${param.unreadOnly}::boolean or read_at is null)
    order by id desc limit ${param.limit}::integer`,
});

/** The notices after one, oldest first. */
export const selectNoticesAfter = createQuery<Account & { afterId: bigint; limit: number }, NoticeRow>({
  name: 'select-notices-after',
  text: (param) => `select ${columns} from notices
    where account_id = ${param.accountId} and id > ${param.afterId}::bigint order by id limit ${param.limit}::integer`,
});

/** Number of unread notices. */
export const countUnread = createQuery<Account, { count: number }>({
  name: 'count-unread-notices',
  text: (param) =>
    `select count(*)::integer as count from notices where account_id = ${param.accountId} and read_at is null`,
});

/** Marks a notice as read; a notice that is read already keeps its time. */
export const updateNoticeRead = createQuery<Account & { id: bigint }, NoticeRow>({
  name: 'mark-notice-read',
  text: (param) => `update notices set read_at = coalesce(read_at, now())
    where account_id = ${param.accountId} and id = ${param.id}::bigint returning ${columns}`,
});

/** Marks all notices of an account as read. One row for each that was unread. */
export const updateNoticesRead = createQuery<Account, { id: bigint }>({
  name: 'mark-notices-read',
  text: (param) =>
    `update notices set read_at = now() where account_id = ${param.accountId} and read_at is null returning id`,
});

const deleteOfAccount = {
  notices: { text: 'delete from notices where account_id = $1 returning 1' },
  awaited: { text: 'delete from awaited_runs where account_id = $1' },
};

/** Deletes all notices of an account, and the runs that it awaits. Returns the number of notices. */
export async function deleteAccountNotices(tx: Transaction, accountId: string): Promise<{ notices: number }> {
  await tx.query(deleteOfAccount.awaited, [accountId]);
  return { notices: (await tx.query(deleteOfAccount.notices, [accountId])).length };
}
