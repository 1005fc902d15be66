import { listOf, recordOf, textOf } from '../mail/json.ts';
import { ProviderError, unreadable } from '../provider/provider-error.ts';
import type { Found, WatchLabel } from '../store/look-rows.ts';
import { type Findings, type Look, missedSince, wholeSecond } from './look.ts';

const headers = { prefer: 'IdType="ImmutableId", odata.maxpagesize=100' };
/** Pages that one look reads at most; the next look goes on. */
const mostPages = 100;

/**
 * Reads what has come into a folder since the last look, with a delta query. Changes and deletions of mail are not looked for: a delta query
 * for them would begin with every mail of the folder, and it does not tell which of them were notified. When Microsoft has forgotten the place, the folder is read from the
 * time of the last look on. Only folders have delta queries: nothing is read for other resources.
 */
export async function lookAtGraph(look: Look): Promise<Findings> {
  const [label] = look.labels;
  const folder = label === undefined ? undefined : folderOf(label.resource);
  if (label === undefined || folder === undefined || !label.change_types.includes('created'))
    return { found: [], cursor: null, deltaLink: null, isComplete: true };
  const link = look.watch.delta_link;
  if (link === null) return read(look, label, beginning(look, folder));
  try {
    return await read(look, label, link);
  } catch (error) {
    if (error instanceof ProviderError && (error.kind === 'gone' || error.kind === 'rejected')) {
      return read(look, label, beginning(look, folder));
    }
    throw error;
  }
}

/** The path of the folder's messages; undefined for any other resource. */
function folderOf(resource: string): string | undefined {
  return /^\/?((?:me|users\/[^/?#]+)\/mailFolders(?:\/[^/?#]+|\('[^'/?#]+'\))\/messages)$/i.exec(resource)?.[1];
}

function beginning(look: Look, folder: string): string {
  const since = missedSince(look)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z');
  const query = {
    changeType: 'created',
    $select: 'id,isDraft,receivedDateTime',
    $filter: `receivedDateTime ge ${since}`,
  };
  return `/v1.0/${folder}/delta?${new URLSearchParams(query).toString().replaceAll('+', '%20')}`;
}

async function read({ client, mailAccount, signal }: Look, label: WatchLabel, from: string): Promise<Findings> {
  const found: Found[] = [];
  let target = from;
  for (let page = 0; page < mostPages; page += 1) {
    const answer = recordOf((await client.call(mailAccount, { method: 'GET', target, headers, signal })).json);
    for (const message of listOf(answer.value).map(recordOf)) {
      if (hasArrived(message, label)) found.push({ subscriptionId: label.id, messageId: textOf(message.id) });
    }
    const deltaLink = textOf(answer['@odata.deltaLink']);
    if (deltaLink !== '') return { found, cursor: null, deltaLink, isComplete: true };
    target = textOf(answer['@odata.nextLink']);
    if (target === '') throw unreadable();
  }
  return { found, cursor: null, deltaLink: target, isComplete: false };
}

/** Mail from a time when the subscription was not active is left out. */
function hasArrived(
  { id, isDraft, receivedDateTime, '@removed': removed }: Record<string, unknown>,
  label: WatchLabel,
): boolean {
  if (textOf(id) === '' || removed !== undefined || isDraft === true) return false;
  return !(Date.parse(textOf(receivedDateTime)) < wholeSecond(label.active_since).getTime());
}
