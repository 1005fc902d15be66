import { type Call, insist, Refused, type Reply } from '../upstream/index.ts';
import { knowOnly, mailboxOf, pageOf } from './gmail-call.ts';
import { googleError, notFound } from './google-error.ts';
import type { HistoryRecord, World } from './world.ts';

const typeNames: Readonly<Record<string, HistoryRecord['kind']>> = {
  messageAdded: 'messagesAdded',
  messageDeleted: 'messagesDeleted',
  labelAdded: 'labelsAdded',
};

/** `history.list`: the changes after an id, oldest first. */
export function history(world: World, call: Call, owner: string): Reply {
  const { query } = call;
  knowOnly(query, ['startHistoryId', 'historyTypes', 'labelId', 'maxResults', 'pageToken']);
  const mailbox = mailboxOf(world, call, owner);
  const start = query.get('startHistoryId') ?? '';
  insist(/^\d+$/.test(start), () => googleError(400, 'invalidArgument', 'Missing startHistoryId'));
  if (BigInt(start) < mailbox.oldestHistoryId) throw new Refused(notFound());
  const kinds = query.getAll('historyTypes').map((name) => typeNames[name]);
  const label = query.get('labelId');
  const isAsked = ({ id, kind, message }: HistoryRecord): boolean => {
    if (id <= BigInt(start) || (kinds.length > 0 && !kinds.includes(kind))) return false;
    return label === null || message.labelIds.includes(label);
  };
  const { page, next } = pageOf(mailbox.history.filter(isAsked), call);
  const records = page.map(({ id, kind, message }) => {
    const { id: messageId, threadId } = message;
    return { id: String(id), messages: [{ id: messageId, threadId }], [kind]: [{ message }] };
  });
  return {
    status: 200,
    body: {
      // Absent when there is nothing.
      ...(records.length > 0 && { history: records }),
      ...(next !== undefined && { nextPageToken: next }),
      historyId: String(mailbox.historyId),
    },
  };
}
