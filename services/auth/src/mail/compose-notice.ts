import MailComposer from 'nodemailer/lib/mail-composer';
import type { NoticeWord } from '../store/notices.ts';
import { addressOf } from './compose-mail.ts';

export interface NoticeContent {
  readonly id: string;
  readonly kind: NoticeWord;
  readonly to: string;
  readonly from: string;
  readonly date: Date;
  /** URL of the front end, without a slash at its end. */
  readonly publicUrl: string;
}

const texts: Readonly<Record<NoticeWord, { readonly subject: string; readonly text: string }>> = {
  subscription_failing: {
    subject: 'A subscription to your mailbox could not be renewed',
    text:
      'A subscription to your mailbox could not be renewed at the mail provider. We keep trying. Until it works again, mail that ' +
      'arrives may run your agent late. Your subscriptions show the reason; if it says so, connect the mail account again:',
  },
  token_created: {
    subject: 'A personal token was created for your account',
    text:
      'A personal token was created for your account. Whoever has it can act for the account until it expires or is revoked. If it was not ' +
      'you, choose a new password, which also revokes all tokens:',
  },
  user_token_created: {
    subject: 'Personal tokens for end users are created for your account',
    text:
      'A personal token that is bound to one end user was created for your account. More of them may follow: we write about them once a ' +
      'day. If it was not you, choose a new password, which also revokes all tokens:',
  },
  account_deleted: {
    subject: 'Your account was deleted',
    text: 'Your account and everything that it owned were deleted. If it was not you, write to the operator of this service:',
  },
};

/** Renders a notice as MIME. Every attempt to send it has the same Message-ID. */
export function composeNotice({ id, kind, to, from, date, publicUrl }: NoticeContent): Promise<Buffer> {
  const { subject, text } = texts[kind];
  const mail = new MailComposer({
    from,
    // An object, because a string would be parsed as a list of recipients.
    to: { name: '', address: to },
    subject,
    date,
    messageId: `<${id}@${addressOf(from).replace(/^.*@/, '')}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: `${text}\n\n${publicUrl}\n`,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return mail.compile().build();
}
