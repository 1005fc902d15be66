import type { ProviderClient } from '../provider/create-provider-client.ts';
import { ProviderError, unreadable } from '../provider/provider-error.ts';
import { htmlToText } from '../text/html-to-text.ts';
import { formatAddress, type MailAddress } from '../text/mail-address.ts';
import { listOf, numberOf, recordOf, textOf } from '../provider/json.ts';
import type { Mail, MailAt, MailAttachment, MailReader } from '../provider/mail.ts';

/** Ids that stay the same when a mail is moved, and plain text, which Microsoft makes of HTML. */
const headers = { prefer: 'IdType="ImmutableId", outlook.body-content-type="text"' };
const fields =
  'id,subject,from,sender,toRecipients,ccRecipients,receivedDateTime,bodyPreview,body,hasAttachments,isDraft,internetMessageHeaders';
const maxLength = 256 * 1024;
const maxMailBytes = 16 * 1024 * 1024;
const mostAttachments = 50;
const attachmentMs = 60_000;

/** Reads mails with Microsoft Graph. A mail is named by its id alone; paths in notifications are never followed. */
export function createGraphMailReader(graph: ProviderClient): MailReader {
  const pathOf = (messageId: string): string => `/v1.0/me/messages/${encodeURIComponent(messageId)}`;
  const get = ({ mailAccount, signal }: MailAt, target: string, maxBytes: number) =>
    graph.call(mailAccount, { method: 'GET', target, headers, maxBytes, signal });
  const listAttachments = async (at: MailAt): Promise<MailAttachment[]> => {
    const target = `${pathOf(at.messageId)}/attachments?$select=id,name,contentType,size,isInline`;
    const { value } = recordOf((await get(at, target, maxMailBytes)).json);
    if (!Array.isArray(value)) throw unreadable();
    return value.flatMap(readAttachment).slice(0, mostAttachments);
  };
  return {
    fetchMail: async (at) => {
      const message = recordOf((await get(at, `${pathOf(at.messageId)}?$select=${fields}`, maxMailBytes)).json);
      if (textOf(message.id) === '') throw unreadable();
      const attachments = message.hasAttachments === true ? await listAttachments(at).catch(noneIfRefused) : [];
      return readMail(message, { attachments, ...(await readBody(message)) });
    },
    fetchAttachment: ({ mailAccount, messageId, signal }, { id }) => {
      const target = `${pathOf(messageId)}/attachments/${encodeURIComponent(id)}/$value`;
      return graph.stream(mailAccount, { method: 'GET', target, headers, timeoutMs: attachmentMs, signal });
    },
  };
}

/** A mail runs its agent also when the provider will never list its files. Throws what may pass. */
function noneIfRefused(error: unknown): MailAttachment[] {
  if (!(error instanceof ProviderError)) throw error;
  const isLasting = ['forbidden', 'not_found', 'rejected'].includes(error.kind) || error.status === 501;
  if (!isLasting) throw error;
  return [];
}

/** Text is asked for, but not every mail server that speaks Graph heeds that. */
async function readBody(message: Record<string, unknown>): Promise<Pick<Mail, 'text' | 'html'>> {
  const { content, contentType } = recordOf(message.body);
  const body = textOf(content).slice(0, maxLength);
  if (textOf(contentType).toLowerCase() !== 'html') return { text: body, html: undefined };
  return { text: await htmlToText(body), html: body };
}

function readMail(message: Record<string, unknown>, content: Pick<Mail, 'text' | 'html' | 'attachments'>): Mail {
  const sender = readAddress(message.from) ?? readAddress(message.sender);
  const received = textOf(message.receivedDateTime);
  const receivedAt = new Date(received);
  const preview = textOf(message.bodyPreview);
  return {
    sender,
    hasClearSender: sender !== undefined,
    senderText: sender === undefined ? '' : formatAddress(sender),
    subject: textOf(message.subject),
    to: listOf(message.toRecipients).flatMap(readAddressText).join(', '),
    cc: listOf(message.ccRecipients).flatMap(readAddressText).join(', '),
    receivedAt: Number.isNaN(receivedAt.getTime()) ? undefined : receivedAt,
    date: received,
    preview,
    snippet: preview,
    headers: listOf(message.internetMessageHeaders).flatMap(readHeader),
    ...content,
    resource: `me/messages/${textOf(message.id)}`,
    labels: [],
    isDraft: message.isDraft === true,
  };
}

function readAddress(recipient: unknown): MailAddress | undefined {
  const { name, address } = recordOf(recordOf(recipient).emailAddress);
  return textOf(address) === '' ? undefined : { name: textOf(name), address: textOf(address) };
}

function readAddressText(recipient: unknown): string[] {
  const address = readAddress(recipient);
  return address === undefined ? [] : [formatAddress(address)];
}

function readHeader(header: unknown): { name: string; value: string }[] {
  const { name, value } = recordOf(header);
  return textOf(name) === '' ? [] : [{ name: textOf(name), value: textOf(value) }];
}

/** Files only: attached mails and links have no content of their own. Pictures inside the text are left out. */
function readAttachment(attachment: unknown): MailAttachment[] {
  const { '@odata.type': type, id, name, contentType, size, isInline } = recordOf(attachment);
  const isFile = type === undefined || type === '#microsoft.graph.fileAttachment';
  if (!isFile || isInline === true || textOf(id) === '') return [];
  return [{ id: textOf(id), filename: textOf(name), contentType: textOf(contentType), size: numberOf(size) }];
}
