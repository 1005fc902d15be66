import MailComposer from 'nodemailer/lib/mail-composer';
import type { MailKind } from '../store/mail-tokens.ts';

export interface MailContent {
  readonly id: string;
  readonly kind: MailKind;
  readonly to: string;
  readonly from: string;
  readonly date: Date;
  /** URL of the front end, without a slash at its end. */
  readonly publicUrl: string;
  readonly token: string;
  readonly lifetime: string;
}

const texts = {
  verify: {
    path: '/auth/verify-email',
    subject: 'Confirm your e-mail address',
    before: 'Somebody, probably you, signed up with this address. Confirm that it is yours:',
    button: 'Confirm the address',
    after: 'If it was not you, do nothing.',
  },
  reset: {
    path: '/auth/reset-password',
    subject: 'Choose a new password',
    before: 'Somebody, probably you, asked for a new password for the account of this address. Choose it here:',
    button: 'Choose a new password',
    after: 'If it was not you, do nothing: the password stays as it is.',
  },
} as const;

/** Renders the message as MIME. Every attempt to send a mail has the same Message-ID. */
export function composeMail(content: MailContent): Promise<Buffer> {
  const { id, from, to, date, kind } = content;
  const { path, subject, before, button, after } = texts[kind];
  const link = `${content.publicUrl}${path}?token=${content.token}`;
  const valid = `The link is valid for ${content.lifetime}.`;
  const html = `<!doctype html><html lang="en"><body style="font-family:sans-serif">
<p>${before}</p>
<p><a href="${escapeHtml(link)}">${button}</a></p>
<p>${valid} ${after}</p>
</body></html>`;
  return composeMessage({ id, from, to, date, subject, text: `${before}\n\n${link}\n\n${valid} ${after}\n`, html });
}

interface Message extends Pick<MailContent, 'id' | 'to' | 'from' | 'date'> {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Renders a message to one recipient as MIME. The Message-ID follows from the id. */
export function composeMessage({ id, from, to, ...content }: Message): Promise<Buffer> {
  const mail = new MailComposer({
    ...content,
    from,
    // An object, because a string would be parsed as a list of recipients.
    to: { name: '', address: to },
    messageId: `<${id}@${addressOf(from).replace(/^.*@/, '')}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return mail.compile().build();
}

/** Returns `box@domain` for `box@domain` and for `Name <box@domain>`. */
export function addressOf(from: string): string {
  return /<([^<>]+)>$/.exec(from)?.[1] ?? from;
}

/** The text as HTML, also within a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
