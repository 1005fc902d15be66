import { isInvalidArgument } from './gmail-error.ts';
import { listOf, recordOf, textOf } from '../provider/json.ts';
import { ProviderError, unreadable } from '../provider/provider-error.ts';
import type { Found, WatchLabel } from '../../store/look-rows.ts';
import { type Findings, type ClientLook, missedSince } from '../provider/look.ts';

const base = '/gmail/v1/users/me';
/** Pages of 500 records that one look reads at most; the next look goes on. */
const mostPages = 20;
/** Pages of 500 mails that a list for one label has at most. */
const mostListPages = 100;
/** Mails with these labels did not arrive, unless a subscription names the label. */
const hiddenLabels = ['DRAFT', 'SENT', 'SPAM', 'TRASH'];

/**
 * Reads the history of a mailbox from the stored cursor on: one mail may be in several records, and each is found once for each subscription. When
 * Gmail has forgotten the history, mails are listed since the last look instead.
 */
export async function lookAtGmail(look: ClientLook): Promise<Findings> {
  const { cursor } = look.watch;
  if (cursor === null) return listMails(look);
  try {
    return await readHistory(look, cursor);
  } catch (error) {
    if (error instanceof ProviderError && error.kind === 'not_found') return listMails(look);
    throw error;
  }
}

async function readHistory(look: ClientLook, startHistoryId: string): Promise<Findings> {
  const found = new FoundMails();
  let pageToken = '';
  let last = startHistoryId;
  for (let page = 0; page < mostPages; page += 1) {
    const query = new URLSearchParams({ startHistoryId, maxResults: '500' });
    for (const type of historyTypes(look)) query.append('historyTypes', type);
    if (pageToken !== '') query.set('pageToken', pageToken);
    const answer = await get(look, 'history', query);
    for (const record of listOf(answer.history).map(recordOf)) {
      last = textOf(record.id) || last;
      for (const change of changesOf(record)) addMail(found, look.labels, change);
    }
    pageToken = textOf(answer.nextPageToken);
    if (pageToken === '') return findings(found, answer.historyId === undefined ? last : historyIdOf(answer));
  }
  // Pages that lead nowhere would be read for ever.
  if (last === startHistoryId) throw unreadable();
  return { ...findings(found, last), isComplete: false };
}

interface Change {
  readonly changeType: 'created' | 'updated' | 'deleted';
  readonly message: Record<string, unknown>;
  /** Labels that were added or removed. */
  readonly labelIds: readonly string[];
}

/** Names of the changes in a request and in its answer. */
const changeNames = {
  created: [['messageAdded', 'messagesAdded']],
  updated: [
    ['labelAdded', 'labelsAdded'],
    ['labelRemoved', 'labelsRemoved'],
  ],
  deleted: [['messageDeleted', 'messagesDeleted']],
} as const;
const changeTypes = ['created', 'updated', 'deleted'] as const;

function historyTypes({ labels }: ClientLook): string[] {
  const wanted = changeTypes.filter((type) => labels.some((label) => label.change_types.includes(type)));
  return wanted.flatMap((type) => changeNames[type].map(([asked]) => asked));
}

/** Changes in a record. One that names no kind of change has new mail. */
function changesOf(record: Record<string, unknown>): Change[] {
  const changes = changeTypes.flatMap((changeType) =>
    changeNames[changeType].flatMap(([, listed]) =>
      listOf(record[listed]).map((change): Change => {
        const { message, labelIds } = recordOf(change);
        return { changeType, message: recordOf(message), labelIds: listOf(labelIds).map(textOf) };
      }),
    ),
  );
  if (changeTypes.some((type) => changeNames[type].some(([, listed]) => record[listed] !== undefined))) return changes;
  return listOf(record.messages).map((message) => ({
    changeType: 'created',
    message: recordOf(message),
    labelIds: [],
  }));
}

function addMail(found: FoundMails, labels: readonly WatchLabel[], { changeType, message, labelIds: changed }: Change) {
  const messageId = textOf(message.id);
  const labelIds = [...listOf(message.labelIds).map(textOf), ...changed];
  const isLabelled = message.labelIds !== undefined;
  const hidden = changeType === 'created' ? hiddenLabels.filter((label) => labelIds.includes(label)) : [];
  for (const { id: subscriptionId, resource, change_types: wanted } of labels) {
    const isWanted = !isLabelled || (resource === 'ALL' ? hidden.length === 0 : labelIds.includes(resource));
    const isHidden = hidden.some((label) => label !== resource);
    if (messageId === '' || !isWanted || isHidden || !wanted.includes(changeType)) continue;
    found.add({ subscriptionId, messageId, changeType });
  }
}

/** Lists the mails of each label since the last look. The history id is read first, so that nothing is lost between. */
async function listMails(look: ClientLook): Promise<Findings> {
  const cursor = historyIdOf(await get(look, 'profile', new URLSearchParams()));
  const found = new FoundMails();
  const after = `after:${Math.floor(missedSince(look).getTime() / 1000)}`;
  const wanting = look.labels.filter((label) => label.change_types.includes('created'));
  for (const { id: subscriptionId, resource } of wanting) {
    for (const messageId of await listLabel(look, resource, after)) found.add({ subscriptionId, messageId });
  }
  return findings(found, cursor);
}

async function listLabel(look: ClientLook, label: string, after: string): Promise<string[]> {
  const messageIds: string[] = [];
  let pageToken = '';
  for (let page = 0; page === 0 || (pageToken !== '' && page < mostListPages); page += 1) {
    const query = new URLSearchParams({ q: after, maxResults: '500' });
    if (label !== 'ALL') query.set('labelIds', label);
    if (pageToken !== '') query.set('pageToken', pageToken);
    const answer = await get(look, 'messages', query).catch((error: unknown): Record<string, unknown> => {
      // Its owner has deleted the label. The other subscriptions get their mail.
      if (label !== 'ALL' && page === 0 && isInvalidArgument(error)) return {};
      throw error;
    });
    messageIds.push(...listOf(answer.messages).map((message) => textOf(recordOf(message).id)));
    pageToken = textOf(answer.nextPageToken);
  }
  return messageIds;
}

const findings = (found: FoundMails, cursor: string): Findings => ({
  found: found.values(),
  cursor,
  deltaLink: null,
  changePlaces: '{}',
  isComplete: true,
});

function historyIdOf({ historyId }: Record<string, unknown>): string {
  const id = String(historyId);
  if (!/^\d{1,30}$/.test(id)) throw unreadable();
  return id;
}

async function get(
  { client, mailAccount, signal }: ClientLook,
  list: string,
  query: URLSearchParams,
): Promise<Record<string, unknown>> {
  const target = `${base}/${list}?${query.toString()}`;
  const { json } = await client.call(mailAccount, { method: 'GET', target, maxBytes: 16 * 1024 * 1024, signal });
  if (typeof json !== 'object' || json === null) throw unreadable();
  return recordOf(json);
}

/** Mails without repetitions, in the order in which they were found. */
class FoundMails {
  readonly #found = new Map<string, Found>();

  add(mail: Found): void {
    if (mail.messageId !== '') this.#found.set(`${mail.subscriptionId} ${mail.changeType} ${mail.messageId}`, mail);
  }

  values(): Found[] {
    return [...this.#found.values()];
  }
}
