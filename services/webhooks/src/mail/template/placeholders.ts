/** Names that a template may use. The union of the names of both mail providers; a name that a provider does not have is empty. */
export const placeholders = [
  'sender',
  'sender_name',
  'sender_email',
  'subject',
  'body',
  'body_preview',
  'snippet',
  'received',
  'date',
  'resource',
  'to',
  'cc',
  'message_id',
  'mailbox',
  'provider',
  'change_type',
] as const;

export type Placeholder = (typeof placeholders)[number];

/** Value of each placeholder. Plain text, not cleaned; an absent one is empty. */
export type TemplateValues = Readonly<Partial<Record<Placeholder, string>>>;

const known: ReadonlySet<string> = new Set(placeholders);

export function isPlaceholder(name: string): name is Placeholder {
  return known.has(name);
}

interface Rule {
  /** Most characters of the cleaned value. */
  readonly length: number;
  /** False: line breaks become spaces. */
  readonly lines?: boolean;
  /** True: the mesh or the subscription's owner wrote the value, so it stands in the message without a fence. */
  readonly trusted?: boolean;
}

/** Length of a subject line in RFC 5322. */
const subjectLength = 998;
/** Longest local part, `@` and longest domain of RFC 5321. */
const addressLength = 320;
const addressesLength = 4_000;
const previewLength = 5_000;
const bodyLength = 50_000;
const idLength = 1_024;

export const valueRules: Readonly<Record<Placeholder, Rule>> = {
  sender: { length: addressLength },
  sender_name: { length: addressLength },
  sender_email: { length: addressLength },
  subject: { length: subjectLength },
  body: { length: bodyLength, lines: true },
  body_preview: { length: previewLength, lines: true },
  snippet: { length: previewLength, lines: true },
  received: { length: 128 },
  date: { length: 128 },
  resource: { length: idLength },
  to: { length: addressesLength },
  cc: { length: addressesLength },
  message_id: { length: idLength },
  mailbox: { length: addressLength, trusted: true },
  provider: { length: 64, trusted: true },
  change_type: { length: 64, trusted: true },
};
