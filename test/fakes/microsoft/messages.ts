import { type Call, defaultSender, type MailAddress, Refused, type Reply, type Route } from '../upstream/index.ts';
import { inMailbox, knowOnly, mailboxOf, preferencesOf } from './graph-call.ts';
import { graphError } from './graph-error.ts';
import type { Mailbox, StoredAttachment, StoredMail, World } from './world.ts';

/** Routes of single messages and their attachments, and of the profile. */
export function messageRoutes(world: World): Route[] {
  const message = '/v1\\.0/me/messages/([^/]+)';
  const on = (path: string, serve: (call: Call, mailbox: Mailbox, parts: string[]) => Reply): Route => ({
    method: 'GET',
    path: new RegExp(`^${path}$`),
    serve: (call, ...parts) => {
      const mailbox = mailboxOf(world, call, 'Mail.Read');
      return inMailbox(mailbox, () => serve(call, mailbox, parts));
    },
  });
  return [
    {
      method: 'GET',
      path: /^\/v1\.0\/me$/,
      serve: (call) => {
        knowOnly(call.query, ['$select']);
        const { user } = mailboxOf(world, call, 'User.Read');
        const [givenName, surname] = user.name.split(' ');
        const { id, name: displayName, address: mail } = user;
        return { status: 200, body: { id, displayName, givenName, surname, mail, userPrincipalName: mail } };
      },
    },
    on(message, (call, mailbox, [id = '']) => {
      knowOnly(call.query, ['$select']);
      return { status: 200, body: printMessage(mailOf(mailbox, id), call) };
    }),
    on(`${message}/attachments`, (call, mailbox, [id = '']) => {
      knowOnly(call.query, ['$select']);
      const { attachments } = mailOf(mailbox, id);
      return { status: 200, body: { value: attachments.map((it) => select(printAttachment(it), call)) } };
    }),
    on(`${message}/attachments/([^/]+)`, (call, mailbox, [id = '', attachment = '']) => {
      knowOnly(call.query, ['$select']);
      return { status: 200, body: select(printAttachment(attachmentOf(mailbox, id, attachment)), call) };
    }),
    on(`${message}/attachments/([^/]+)/\\$value`, (_, mailbox, [id = '', attachment = '']) => {
      const { bytes, contentType } = attachmentOf(mailbox, id, attachment);
      return { status: 200, body: Buffer.from(bytes), headers: { 'content-type': contentType } };
    }),
  ];
}

function mailOf({ mails }: Mailbox, id: string): StoredMail {
  const found = mails.find((it) => it.immutableId === id || it.defaultId === id);
  if (found !== undefined) return found;
  throw new Refused(graphError(404, 'ErrorItemNotFound', 'The specified object was not found in the store.'));
}

function attachmentOf(mailbox: Mailbox, id: string, attachmentId: string): StoredAttachment {
  const found = mailOf(mailbox, id).attachments.find((it) => it.id === attachmentId);
  if (found !== undefined) return found;
  throw new Refused(graphError(404, 'ErrorItemNotFound', 'The specified object was not found in the store.'));
}

/** A message as Graph answers it, with the properties of `$select`. */
export function printMessage(stored: StoredMail, call: Call): Record<string, unknown> {
  const { isImmutable, isText } = preferencesOf(call);
  const { mail, receivedAt, number } = stored;
  const text = mail.text ?? (mail.html ?? '').replaceAll(/<[^>]*>/g, '');
  const body =
    mail.html === undefined || isText
      ? { contentType: 'text', content: text }
      : { contentType: 'html', content: mail.html };
  const whole = {
    '@odata.etag': `W/"CQAAABYAAAA${number}"`,
    id: isImmutable ? stored.immutableId : stored.defaultId,
    internetMessageId: mail.internetMessageId ?? `<${number}@example.org>`,
    conversationId: `AAQk${number}`,
    subject: mail.subject ?? 'A question',
    from: recipient(mail.from ?? defaultSender),
    sender: recipient(mail.from ?? defaultSender),
    toRecipients: (mail.to ?? []).map(recipient),
    ccRecipients: (mail.cc ?? []).map(recipient),
    receivedDateTime: receivedAt.toISOString().replace(/\.\d+Z$/, 'Z'),
    bodyPreview: text.slice(0, 255),
    body,
    hasAttachments: stored.attachments.some(({ isInline }) => !isInline),
    isDraft: false,
    parentFolderId: stored.folderId,
  };
  const internetMessageHeaders = Object.entries(mail.headers ?? {}).map(([name, value]) => ({ name, value }));
  // Header fields are answered only when they are selected.
  return select(call.query.has('$select') ? { ...whole, internetMessageHeaders } : whole, call);
}

function recipient({ name, address }: MailAddress): object {
  return { emailAddress: { name: name ?? address, address } };
}

function printAttachment({ id, name, contentType, isInline, bytes }: StoredAttachment): Record<string, unknown> {
  return {
    '@odata.type': '#microsoft.graph.fileAttachment',
    '@odata.mediaContentType': contentType,
    id,
    name,
    contentType,
    size: bytes.length,
    isInline,
    contentBytes: Buffer.from(bytes).toString('base64'),
  };
}

/** Only the properties of `$select`, and those that Graph always answers. */
function select(whole: Record<string, unknown>, { query }: Call): Record<string, unknown> {
  const names = query.get('$select')?.split(',');
  if (names === undefined) return whole;
  return Object.fromEntries(
    Object.entries(whole).filter(([name]) => name === 'id' || name.startsWith('@odata.') || names.includes(name)),
  );
}
