import { createQuery, type Queryable } from '@agentmesh/lib/pg';

/** Kinds of notices, as they are stored. Their texts are fixed, so that no service can make this one write to strangers. */
export const noticeWords = ['subscription_failing', 'token_created', 'user_token_created', 'account_deleted'] as const;
export type NoticeWord = (typeof noticeWords)[number];

export interface NoticeLimit {
  /** Most notices of one kind to one account in so many hours. */
  readonly most: number;
  readonly hours: number;
  /** Only to an address that its owner has proven: anybody can sign up with the address of another. False when left out. */
  readonly proven?: boolean;
}

interface NewNotice extends Required<NoticeLimit> {
  readonly accountId: string;
  readonly mailId: string;
  readonly kind: NoticeWord;
}

/** Stores a notice. Answers nothing when the account does not exist, has not proven its address, or had too many of this kind lately. */
export const insertNotice = createQuery<NewNotice, { mail_id: string }>({
  name: 'insert-notice',
  text: (param) => `insert into notices (account_id, mail_id, kind)
    select id, ${param.mailId}::uuid, ${param.kind} from accounts where id = ${param.accountId}
      and (email_verified_at is not null or not ${param.proven}::boolean) and (
        select count(*) from notices where account_id = ${param.accountId} and kind = ${param.kind}
          and requested_at > now() - make_interval(hours => ${param.hours}::integer)
      ) < ${param.most}::integer returning mail_id`,
});

/** Address of an account whose owner has proven it. */
export const selectProvenAddress = createQuery<{ accountId: string }, { email: string }>({
  name: 'select-proven-address',
  text: (param) => `select email from accounts where id = ${param.accountId} and email_verified_at is not null`,
});

/** Address of an account that a notice is for; nothing when the account is gone. */
export const selectNoticeAddress = createQuery<{ accountId: string }, { email: string }>({
  name: 'select-notice-address',
  text: (param) => `select email from accounts where id = ${param.accountId}`,
});

const deleteNotices = createQuery<{ accountId: string }, { mail_id: string }>({
  text: (param) => `delete from notices where account_id = ${param.accountId} returning mail_id`,
});

/** Deletes the notices of an account, and returns the ids of their mails. */
export async function deleteAccountNotices(db: Queryable, accountId: string): Promise<string[]> {
  return (await deleteNotices(db, { accountId })).map((row) => row.mail_id);
}

const purge = createQuery<object>({
  text: () => `delete from notices where requested_at < now() - interval '30 days'`,
});

/** Deletes notices that are over 30 days old. */
export async function purgeNotices(db: Queryable): Promise<void> {
  await purge(db, {});
}
