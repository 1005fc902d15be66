import { dataMember } from './data-member.ts';
import type { ProviderClient } from '../provider/create-provider-client.ts';
import { unreadable } from '../provider/provider-error.ts';
import { headerOf, type MailHeader } from '../safety/mail-headers.ts';
import { decodeText } from '../text/decode-text.ts';
import { gmailContent, type GmailPart, type GmailText } from './gmail-payload.ts';
import { htmlToText } from '../text/html-to-text.ts';
import { decodeHeader, hasOneAddress, parseAddresses } from '../text/mail-address.ts';
import { listOf, recordOf, textOf } from '../provider/json.ts';
import type { Mail, MailAt, MailReader } from '../provider/mail.ts';

const maxLength = 256 * 1024;
const maxMailBytes = 32 * 1024 * 1024;
const attachmentMs = 60_000;
/** Bytes of a text that Gmail keeps apart. A longer one is left out; the snippet stands for it. */
const maxTextBytes = 8 * 1024 * 1024;
const previewLength = 5_000;

/** Reads mails with the Gmail API. */
export function createGmailMailReader(gmail: ProviderClient): MailReader {
  const pathOf = (messageId: string): string => `/gmail/v1/users/me/messages/${encodeURIComponent(messageId)}`;
  const get = ({ mailAccount, signal }: MailAt, target: string, maxBytes: number) =>
    gmail.call(mailAccount, { method: 'GET', target, maxBytes, signal });
  const fetchData = async (at: MailAt, attachmentId: string, maxBytes: number): Promise<string> => {
    const target = `${pathOf(at.messageId)}/attachments/${encodeURIComponent(attachmentId)}`;
    // Base64 is a third longer.
    const { data } = recordOf((await get(at, target, Math.ceil(maxBytes * 1.4) + 1_024)).json);
    if (typeof data !== 'string') throw unreadable();
    return data;
  };
  const readText = async (at: MailAt, { text, attachmentId, charset }: GmailText): Promise<string> => {
    if (attachmentId === undefined) return text;
    return decodeText(await fetchData(at, attachmentId, maxTextBytes), charset).slice(0, maxLength);
  };
  return {
    fetchMail: async (at) => {
      const { json } = await get(at, `${pathOf(at.messageId)}?format=full`, maxMailBytes);
      const message = recordOf(json);
      if (textOf(message.id) === '' || Object.keys(recordOf(message.payload)).length === 0) throw unreadable();
      return readMail(message, (text) => readText(at, text));
    },
    fetchAttachment: async ({ mailAccount, messageId, signal }, { id }) => {
      const target = `${pathOf(messageId)}/attachments/${encodeURIComponent(id)}`;
      return dataMember(await gmail.stream(mailAccount, { method: 'GET', target, timeoutMs: attachmentMs, signal }));
    },
  };
}

type ReadText = (text: GmailText) => Promise<string>;

async function readMail(message: Record<string, unknown>, readText: ReadText): Promise<Mail> {
  const payload = recordOf(message.payload) as GmailPart;
  const { texts, html, attachments } = gmailContent(payload);
  const headers = listOf(payload.headers).flatMap(readHeader);
  const header = (name: string): string => decodeHeader(headerOf(headers, name) ?? '');
  const from = headerOf(headers, 'from') ?? '';
  const receivedMs = Number(textOf(message.internalDate));
  const { text, plain } = await textsOf(texts, readText);
  const labels = listOf(message.labelIds).map(textOf);
  const snippet = textOf(message.snippet);
  return {
    sender: parseAddresses(from)[0],
    hasClearSender: hasOneAddress(
      headers.filter(({ name }) => name.toLowerCase() === 'from').map(({ value }) => value),
    ),
    senderText: textOf(decodeHeader(from)),
    subject: textOf(header('subject')),
    to: textOf(header('to')),
    cc: textOf(header('cc')),
    receivedAt: receivedMs > 0 ? new Date(receivedMs) : undefined,
    date: textOf(header('date')),
    preview: plain.slice(0, previewLength) || snippet,
    snippet,
    text: text || snippet,
    html: html === undefined ? undefined : textOf(await readText(html)),
    headers,
    attachments: attachments.map(({ attachmentId: id, ...rest }) => ({ id, ...rest })),
    resource: `users/me/messages/${textOf(message.id)}`,
    labels,
    isDraft: labels.includes('DRAFT'),
  };
}

/** All texts as plain text, and the first one that was plain. */
async function textsOf(texts: readonly GmailText[], readText: ReadText): Promise<{ text: string; plain: string }> {
  const read: string[] = [];
  let plain = '';
  for (const one of texts) {
    const text = textOf(await readText(one));
    if (!one.isHtml) plain ||= text;
    read.push(one.isHtml ? await htmlToText(text) : text);
  }
  return { text: read.join('\n\n').slice(0, maxLength), plain };
}

function readHeader(header: unknown): MailHeader[] {
  const { name, value } = recordOf(header);
  return textOf(name) === '' ? [] : [{ name: textOf(name), value: textOf(value) }];
}
