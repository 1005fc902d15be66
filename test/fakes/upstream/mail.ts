export interface MailAddress {
  readonly name?: string;
  readonly address: string;
}

export interface NewAttachment {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** Shown inside the text, e.g. a logo. Default false. */
  readonly inline?: boolean;
}

/** A mail that a test puts into a fake mailbox. */
export interface NewMail {
  readonly from?: MailAddress;
  readonly to?: readonly MailAddress[];
  readonly cc?: readonly MailAddress[];
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
  readonly attachments?: readonly NewAttachment[];
  /** Further header fields, e.g. `Authentication-Results`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: now. */
  readonly receivedAt?: Date;
  /** RFC 5322 Message-ID. Default: one made from the number of the mail. */
  readonly internetMessageId?: string;
}

export const defaultSender: MailAddress = { name: 'Grace Hopper', address: 'grace@example.org' };

/**
 * An id of letters. Ids of neighbouring numbers differ only in the case of one letter, so code that ignores case confuses them.
 */
export function caseSensitiveId(prefix: string, number: number): string {
  const letters = Array.from('agentmeshmailfakeids', (letter, bit) =>
    (number >> bit) & 1 ? letter.toUpperCase() : letter,
  );
  return `${prefix}${letters.join('')}`;
}

/** A deterministic UUID. `kind` is one hexadecimal digit. */
export function uuidOf(kind: string, number: number): string {
  return `${kind.repeat(8)}-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
