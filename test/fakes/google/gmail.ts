import { type Call, insist, type Reply, type Route } from '../upstream/index.ts';
import { checkLabel, found, knowOnly, mailboxOf, pageOf } from './gmail-call.ts';
import { googleError } from './google-error.ts';
import { history } from './history.ts';
import { attachmentBytes, fieldsOf, partsOf, snippetOf } from './message-parts.ts';
import { stop, watch } from './watch.ts';
import type { Mailbox, StoredMail, World } from './world.ts';

/** Routes of Gmail's API. `publish` pushes a notification about a mailbox. */
export function gmailRoutes(world: World, publish: (mailbox: Mailbox) => void): Route[] {
  const on = (
    method: string,
    path: string,
    serve: (call: Call, owner: string, id: string, part: string) => Reply,
  ): Route => ({
    method,
    path: new RegExp(`^/gmail/v1/users/([^/]+)/${path}$`),
    serve: (call, owner = '', id = '', part = '') => serve(call, owner, id, part),
  });
  return [
    on('POST', 'watch', (call, owner) => watch(world, publish, call, owner)),
    on('POST', 'stop', (call, owner) => stop(world, call, owner)),
    on('GET', 'history', (call, owner) => history(world, call, owner)),
    on('GET', 'profile', (call, owner) => profile(mailboxOf(world, call, owner))),
    on('GET', 'labels', (call, owner) => labels(mailboxOf(world, call, owner))),
    on('GET', 'messages', (call, owner) => list(mailboxOf(world, call, owner), call)),
    on('GET', 'messages/([^/]+)', (call, owner, id) => message(mailboxOf(world, call, owner), call, id)),
    on('GET', 'messages/([^/]+)/attachments/([^/]+)', (call, owner, id, part) => {
      knowOnly(call.query, []);
      const bytes = found(attachmentBytes(mailOf(mailboxOf(world, call, owner), id), part));
      return { status: 200, body: { size: bytes.length, data: Buffer.from(bytes).toString('base64url') } };
    }),
  ];
}

function profile({ user, mails, historyId }: Mailbox): Reply {
  const messagesTotal = mails.length;
  const body = { emailAddress: user.address, messagesTotal, threadsTotal: messagesTotal, historyId: String(historyId) };
  return { status: 200, body };
}

function labels({ labels: known }: Mailbox): Reply {
  const typeOf = (id: string): string => (id.startsWith('Label_') ? 'user' : 'system');
  return { status: 200, body: { labels: Array.from(known, ([name, id]) => ({ id, name, type: typeOf(id) })) } };
}

/** `messages.list`, newest first. It knows one term of the search language, `after:<seconds>`. */
function list(mailbox: Mailbox, call: Call): Reply {
  const { query } = call;
  knowOnly(query, ['labelIds', 'q', 'maxResults', 'pageToken', 'includeSpamTrash']);
  const asked = query.getAll('labelIds');
  for (const label of asked) checkLabel(mailbox, label);
  const q = query.get('q') ?? '';
  const after = /^after:(\d+)$/.exec(q)?.[1];
  insist(q === '' || after !== undefined, () =>
    googleError(400, 'invalidArgument', `The fake cannot search for ${q}.`),
  );
  const sinceMs = Number(after ?? '0') * 1000;
  const isAsked = ({ labelIds, receivedAt }: StoredMail): boolean => {
    const isHidden = labelIds.includes('SPAM') || labelIds.includes('TRASH');
    if (isHidden && query.get('includeSpamTrash') !== 'true') return false;
    return receivedAt.getTime() >= sinceMs && asked.every((label) => labelIds.includes(label));
  };
  const all = mailbox.mails.filter(isAsked).toReversed();
  const { page, next } = pageOf(all, call);
  const messages = page.map(({ id, threadId }) => ({ id, threadId }));
  const body = {
    ...(messages.length > 0 && { messages }),
    ...(next !== undefined && { nextPageToken: next }),
    resultSizeEstimate: all.length,
  };
  return { status: 200, body };
}

function mailOf({ mails }: Mailbox, id: string): StoredMail {
  return found(mails.find((mail) => mail.id === id));
}

function message(mailbox: Mailbox, { query }: Call, id: string): Reply {
  knowOnly(query, ['format', 'metadataHeaders']);
  const stored = mailOf(mailbox, id);
  const { threadId, labelIds, receivedAt, historyId, mail } = stored;
  const format = query.get('format') ?? 'full';
  const payload = partsOf(stored);
  const whole = {
    id,
    threadId,
    labelIds,
    snippet: snippetOf(mail),
    historyId: String(historyId),
    internalDate: String(receivedAt.getTime()),
    sizeEstimate: 1_000,
  };
  if (format === 'minimal') return { status: 200, body: whole };
  if (format === 'full') return { status: 200, body: { ...whole, payload } };
  insist(format === 'metadata', () =>
    googleError(400, 'invalidArgument', `The fake does not know the format ${format}.`),
  );
  const asked = query.getAll('metadataHeaders').map((name) => name.toLowerCase());
  const headers = fieldsOf(stored).filter(({ name }) => asked.length === 0 || asked.includes(name.toLowerCase()));
  return { status: 200, body: { ...whole, payload: { mimeType: payload.mimeType, headers } } };
}
