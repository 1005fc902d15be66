import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { NoticeWord } from '../mail/compose-notice.ts';

interface NewNotice {
  readonly accountId: string;
  readonly mailId: string;
  readonly kind: NoticeWord;
  /** Fewest hours between two notices of one kind to one account. */
  readonly hours: number;
}

/** Stores a notice. Answers nothing when the account does not exist or had one of this kind lately. */
export const insertNotice = createQuery<NewNotice, { mail_id: string }>({
  name: 'insert-notice',
  text: (param) => `insert into notices (account_id, mail_id, kind)
    select id, ${param.mailId}::uuid, ${param.kind} from accounts where id = ${param.accountId} and not exists (
      select 1 from notices where account_id = ${param.accountId} and kind = ${param.kind}
        and requested_at > now() - make_interval(hours => ${param.hours}::integer)
    ) returning mail_id`,
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
