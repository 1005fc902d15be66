import type { MailAccount } from '../../provider.ts';
import type { MailHeader } from '../safety/mail-headers.ts';
import type { MailAddress } from '../text/mail-address.ts';

/** A mail as it was fetched, in the same form for both providers. Its texts are as the sender wrote them, cut to 256 K characters. */
export interface Mail {
  /** Undefined when the mail names no sender. */
  readonly sender: MailAddress | undefined;
  /** False: the mail names several senders, or one in a way that readers understand differently. */
  readonly hasClearSender: boolean;
  /** The sender as the provider shows it. */
  readonly senderText: string;
  readonly subject: string;
  readonly to: string;
  readonly cc: string;
  /** Time at which the provider received it; undefined when the provider does not tell it. */
  readonly receivedAt: Date | undefined;
  /** Gmail: the header `Date`; Microsoft: the time of receipt. */
  readonly date: string;
  readonly preview: string;
  /** First lines as the provider shows them. */
  readonly snippet: string;
  /** Plain text. */
  readonly text: string;
  /** Undefined when the mail has none, or the provider made plain text of it. */
  readonly html: string | undefined;
  readonly headers: readonly MailHeader[];
  readonly attachments: readonly MailAttachment[];
  /** Path of the mail at the provider. */
  readonly resource: string;
  /** Gmail: labels of the mail now. Microsoft: none. */
  readonly labels: readonly string[];
  readonly isDraft: boolean;
}

export interface MailAttachment {
  /** Id at the provider. */
  readonly id: string;
  readonly filename: string;
  readonly contentType: string;
  /** Bytes, as the provider says. */
  readonly size: number;
}

/** A mail in the mailbox of a mail account. */
export interface MailAt {
  readonly mailAccount: MailAccount;
  /** Immutable id of the mail. */
  readonly messageId: string;
  readonly signal: AbortSignal;
}

/** Reads mails at a provider. Each call throws ProviderError. */
export interface MailReader {
  /** `not_found` when there is no such mail. */
  fetchMail(at: MailAt): Promise<Mail>;
  /** The bytes of an attachment while they arrive, however many there are. */
  fetchAttachment(at: MailAt, attachment: MailAttachment): Promise<AsyncGenerator<Uint8Array, void>>;
}
