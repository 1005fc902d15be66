import { listOf, recordOf, textOf } from '../provider/json.ts';
import { ProviderError, unreadable } from '../provider/provider-error.ts';
import type { Found, WatchLabel } from '../../store/look-rows.ts';
import { graphHeaders, isDeadLink } from './graph-links.ts';
import { type Folder, lookAtChanges } from './look-at-changes.ts';
import { type Findings, type ClientLook, missedSince, wholeSecond } from '../provider/look.ts';

/** Pages that one look reads at most; the next look goes on. */
const mostPages = 100;
/** Seconds until a look goes on to read what a folder had before. */
const primingSeconds = 5;

/**
 * Reads what has come into a folder since the last look, and what was changed and deleted there, with a delta query for each. When Microsoft has
 * forgotten the place, new mail is read from the time of the last look on. Only folders have delta queries: nothing is read for other resources.
 */
export async function lookAtGraph(look: ClientLook): Promise<Findings> {
  const [label] = look.labels;
  const path = label === undefined ? undefined : folderOf(label.resource);
  if (label === undefined || path === undefined) return nothing;
  const created = label.change_types.includes('created') ? await lookForNew(look, { label, path }) : nothing;
  if (!created.isComplete) return { ...created, changePlaces: look.watch.change_places };
  const { found, places, isComplete, isPriming } = await lookAtChanges(look, { label, path });
  return {
    ...created,
    found: [...created.found, ...found],
    changePlaces: JSON.stringify(places),
    isComplete,
    ...(isPriming && { pauseSeconds: primingSeconds }),
  };
}

const nothing: Findings = { found: [], cursor: null, deltaLink: null, changePlaces: '{}', isComplete: true };

async function lookForNew(look: ClientLook, { label, path }: Folder): Promise<Findings> {
  const link = look.watch.delta_link;
  if (link === null) return read(look, label, beginning(look, path));
  try {
    return await read(look, label, link);
  } catch (error) {
    if (error instanceof ProviderError && isDeadLink(error)) return read(look, label, beginning(look, path));
    throw error;
  }
}

/** The path of the folder's messages; undefined for any other resource. */
function folderOf(resource: string): string | undefined {
  return /^\/?((?:me|users\/[^/?#]+)\/mailFolders(?:\/[^/?#]+|\('[^'/?#]+'\))\/messages)$/i.exec(resource)?.[1];
}

function beginning(look: ClientLook, folder: string): string {
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

async function read({ client, mailAccount, signal }: ClientLook, label: WatchLabel, from: string): Promise<Findings> {
  const found: Found[] = [];
  let target = from;
  for (let page = 0; page < mostPages; page += 1) {
    const answer = recordOf(
      (await client.call(mailAccount, { method: 'GET', target, headers: graphHeaders, signal })).json,
    );
    for (const message of listOf(answer.value).map(recordOf)) {
      if (hasArrived(message, label)) found.push({ subscriptionId: label.id, messageId: textOf(message.id) });
    }
    const deltaLink = textOf(answer['@odata.deltaLink']);
    if (deltaLink !== '') return { ...nothing, found, deltaLink };
    target = textOf(answer['@odata.nextLink']);
    if (target === '') throw unreadable();
  }
  return { ...nothing, found, deltaLink: target, isComplete: false };
}

/** Mail from a time when the subscription was not active is left out. */
function hasArrived(
  { id, isDraft, receivedDateTime, '@removed': removed }: Record<string, unknown>,
  label: WatchLabel,
): boolean {
  if (textOf(id) === '' || removed !== undefined || isDraft === true) return false;
  return !(Date.parse(textOf(receivedDateTime)) < wholeSecond(label.active_since).getTime());
}
