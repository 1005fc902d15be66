import { headerOf, type MailHeader } from './mail-headers.ts';

export interface MailOrigin {
  /** Address of the sender; undefined when the mail has none. */
  readonly sender: string | undefined;
  /** Address of the mailbox that received the mail. */
  readonly mailbox: string;
  readonly headers: readonly MailHeader[];
}

const automaticPrecedence = new Set(['bulk', 'junk', 'auto_reply']);

/**
 * Returns the reason why a mail must not start a run: a program sent it, or the mailbox wrote to itself. An agent that answers such mail
 * would start a loop. Undefined for mails of people. Mailing lists (`Precedence: list`) count as people.
 */
export function automaticReason({ sender, mailbox, headers }: MailOrigin): string | undefined {
  if (sender !== undefined && sender.trim().toLowerCase() === mailbox.trim().toLowerCase()) {
    return 'the mailbox itself sent the mail';
  }
  const submitted = keywordOf(headers, 'auto-submitted');
  if (submitted !== undefined && submitted !== 'no') return `the mail is automatic (Auto-Submitted: ${submitted})`;
  const precedence = keywordOf(headers, 'precedence');
  if (precedence !== undefined && automaticPrecedence.has(precedence)) {
    return `the mail is automatic (Precedence: ${precedence})`;
  }
  if (headerOf(headers, 'x-autoreply') ?? headerOf(headers, 'x-autorespond')) return 'the mail is an automatic reply';
  if (headerOf(headers, 'return-path')?.trim() === '<>') return 'the mail is a delivery report';
  return undefined;
}

/** First word of a header in lower case, e.g. `auto-replied` of `Auto-Replied; owner-email=…`. */
function keywordOf(headers: readonly MailHeader[], name: string): string | undefined {
  return headerOf(headers, name)
    ?.trim()
    .match(/^[\w-]{1,64}/)?.[0]
    .toLowerCase();
}
