import type { Mail } from '../../provider/mail.ts';
import type { TemplateValues } from '../../template/placeholders.ts';

export interface MailContext {
  readonly messageId: string;
  /** Address of the mailbox. */
  readonly mailbox: string;
  /** The word for the provider that the subscription's creator used. */
  readonly providerName: string;
  readonly changeType: string;
}

/** Values of the placeholders for a mail; for a mail that is gone, only those that the notification has. */
export function mailValues(mail: Mail | undefined, context: MailContext): TemplateValues {
  const { messageId, mailbox, providerName, changeType } = context;
  const values = { message_id: messageId, mailbox, provider: providerName, change_type: changeType };
  if (mail === undefined) return values;
  return {
    ...values,
    sender: mail.senderText,
    sender_name: mail.sender?.name ?? '',
    sender_email: mail.sender?.address ?? '',
    subject: mail.subject,
    body: mail.text,
    body_preview: mail.preview,
    snippet: mail.snippet,
    received: mail.date,
    date: mail.date,
    resource: mail.resource,
    to: mail.to,
    cc: mail.cc,
  };
}
