/** Content of a push from Gmail. */
export interface GmailPush {
  /** Full name of the Pub/Sub subscription; empty when the push names none. */
  readonly subscription: string;
  /** Address of the mailbox in lower case. */
  readonly mailbox: string;
  /** Decimal number. */
  readonly historyId: string;
}

/** Reads the envelope of a push; undefined when it is none. The history id may be a number or a string. */
export function readGmailPush(body: Uint8Array): GmailPush | undefined {
  const { message, subscription } = recordOf(parseJson(Buffer.from(body).toString()));
  const { data } = recordOf(message);
  if (typeof data !== 'string') return undefined;
  const { emailAddress, historyId } = recordOf(parseJson(Buffer.from(data, 'base64').toString()));
  const id = typeof historyId === 'number' ? String(historyId) : historyId;
  if (typeof emailAddress !== 'string' || typeof id !== 'string' || !/^\d{1,30}$/.test(id)) return undefined;
  if (emailAddress.length > 320 || emailAddress.includes('\0') || !emailAddress.isWellFormed()) return undefined;
  return {
    subscription: typeof subscription === 'string' ? subscription : '',
    mailbox: emailAddress.toLowerCase(),
    historyId: id,
  };
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
