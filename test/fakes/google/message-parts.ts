import { defaultSender, type MailAddress, type NewAttachment, type NewMail } from '../upstream/index.ts';
import type { StoredMail } from './world.ts';

/** A part of a message as Gmail parses it. */
export interface MessagePart {
  readonly partId: string;
  readonly mimeType: string;
  readonly filename: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: { readonly size: number; readonly data?: string; readonly attachmentId?: string };
  readonly parts?: readonly MessagePart[];
}

/** Longest text that stands in the message itself. A longer one is read like an attachment. */
const longestInline = 1_000_000;

type Leaf = Omit<MessagePart, 'partId' | 'parts'> & { readonly parts?: readonly Leaf[] };

/** The MIME tree of a mail: text and HTML as alternatives, attachments beside them. */
export function partsOf(stored: StoredMail): MessagePart {
  const { mail } = stored;
  const texts = [
    ...(mail.text === undefined && mail.html !== undefined ? [] : [text('plain', mail.text ?? '', stored.id)]),
    ...(mail.html === undefined ? [] : [text('html', mail.html, stored.id)]),
  ];
  const [only] = texts;
  const body = texts.length === 1 && only !== undefined ? only : multipart('alternative', texts);
  const attachments = (mail.attachments ?? []).map((it, index) => attachment(it, attachmentId(stored.id, index)));
  const root = attachments.length === 0 ? body : multipart('mixed', [body, ...attachments]);
  return number({ ...root, headers: [...fieldsOf(stored), ...root.headers] }, '');
}

/** The bytes of an attachment or of a long text; undefined when there is none with this id. */
export function attachmentBytes({ id, mail }: StoredMail, wanted: string): Uint8Array | undefined {
  if (wanted === `${id}-plain`) return Buffer.from(mail.text ?? '');
  if (wanted === `${id}-html`) return Buffer.from(mail.html ?? '');
  return mail.attachments?.find((_, index) => attachmentId(id, index) === wanted)?.bytes;
}

/** The header fields of a mail. */
export function fieldsOf({ id, mail, receivedAt }: StoredMail): { name: string; value: string }[] {
  const fields: Record<string, string> = {
    'Message-ID': mail.internetMessageId ?? `<${id}@example.org>`,
    Date: receivedAt.toUTCString(),
    From: mailboxText(mail.from ?? defaultSender),
    Subject: mail.subject ?? 'A question',
    ...(mail.to !== undefined && { To: mail.to.map(mailboxText).join(', ') }),
    ...(mail.cc !== undefined && { Cc: mail.cc.map(mailboxText).join(', ') }),
    ...mail.headers,
  };
  return Object.entries(fields).map(([name, value]) => ({ name, value }));
}

/** First words of a mail. */
export function snippetOf({ text: plain, html }: NewMail): string {
  return (plain ?? (html ?? '').replaceAll(/<[^>]*>/g, '')).slice(0, 200);
}

function attachmentId(messageId: string, index: number): string {
  return `ANGjdJ-${messageId}-${index}`;
}

function mailboxText({ name, address }: MailAddress): string {
  return name === undefined ? address : `"${name}" <${address}>`;
}

function text(kind: 'plain' | 'html', content: string, messageId: string): Leaf {
  const size = Buffer.byteLength(content);
  const headers = [{ name: 'Content-Type', value: `text/${kind}; charset="UTF-8"` }];
  const isLong = size > longestInline;
  const body = isLong
    ? { size, attachmentId: `${messageId}-${kind}` }
    : { size, data: Buffer.from(content).toString('base64url') };
  return { mimeType: `text/${kind}`, filename: '', headers, body };
}

function attachment({ name, contentType, bytes, inline = false }: NewAttachment, id: string): Leaf {
  const disposition = inline ? 'inline' : 'attachment';
  const headers = [
    { name: 'Content-Type', value: `${contentType}; name="${name}"` },
    { name: 'Content-Disposition', value: `${disposition}; filename="${name}"` },
  ];
  return { mimeType: contentType, filename: name, headers, body: { size: bytes.length, attachmentId: id } };
}

function multipart(kind: 'alternative' | 'mixed', parts: readonly Leaf[]): Leaf {
  const headers = [{ name: 'Content-Type', value: `multipart/${kind}; boundary="b"` }];
  return { mimeType: `multipart/${kind}`, filename: '', headers, body: { size: 0 }, parts };
}

/** Gives part ids: `` for the root, then `0`, `0.1`, and so on. */
function number({ parts, ...leaf }: Leaf, partId: string): MessagePart {
  if (parts === undefined) return { ...leaf, partId };
  const prefix = partId === '' ? '' : `${partId}.`;
  return { ...leaf, partId, parts: parts.map((part, index) => number(part, `${prefix}${index}`)) };
}
