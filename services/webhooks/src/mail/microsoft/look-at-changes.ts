import { listOf, recordOf, textOf } from '../provider/json.ts';
import { ProviderError, unreadable } from '../provider/provider-error.ts';
import type { ChangePlace, ChangePlaces, Found, OtherChange, WatchLabel } from '../../store/look-rows.ts';
import { graphHeaders, isDeadLink } from './graph-links.ts';
import type { ClientLook } from '../provider/look.ts';

/** Pages that one look reads; the next look goes on. */
const mostPages = 100;
/** Pages of mail from before that one look reads, so that new mail does not wait for long. */
const mostFormerPages = 20;

/** The folder of a subscription, by the path of its messages. */
export interface Folder {
  readonly label: WatchLabel;
  readonly path: string;
}

interface FoundChanges {
  readonly found: readonly Found[];
  readonly places: ChangePlaces;
  /** False: there are more changes to read at once. */
  readonly isComplete: boolean;
  /** The mail that the folder had before is not read to its end yet. */
  readonly isPriming: boolean;
}

const kinds = ['updated', 'deleted'] as const;

/**
 * Reads which mails of a folder were changed and deleted since the last look, each kind with a delta query of its own. Its first round names
 * mail from before the subscription, of which nothing counts. Changes from a time when Microsoft had forgotten the place are not found.
 */
export async function lookAtChanges(look: ClientLook, folder: Folder): Promise<FoundChanges> {
  const former = formerPlaces(look, folder.label);
  const wanted = kinds.filter((kind) => folder.label.change_types.includes(kind));
  let all: FoundChanges = {
    found: [],
    places: { activeSince: former.activeSince },
    isComplete: true,
    isPriming: false,
  };
  for (const kind of wanted) {
    const { found, place, isComplete } = await readChanges(look, folder, { kind, place: former[kind] });
    all = {
      found: [...all.found, ...found],
      places: { ...all.places, ...(place !== undefined && { [kind]: place }) },
      isComplete: all.isComplete && (isComplete || place?.isPrimed !== true),
      isPriming: all.isPriming || place?.isPrimed === false,
    };
  }
  return all;
}

/** Places from before the subscription was enabled again do not count: changes meanwhile run no agent. */
function formerPlaces({ watch }: ClientLook, { active_since: since }: WatchLabel): ChangePlaces {
  const activeSince = since.toISOString();
  const places = JSON.parse(watch.change_places) as Partial<ChangePlaces>;
  return places.activeSince === activeSince ? { ...places, activeSince } : { activeSince };
}

interface Reading {
  readonly kind: OtherChange;
  readonly place: ChangePlace | undefined;
}

interface Read {
  readonly found: readonly Found[];
  /** Undefined: nothing is known, and the next look begins again. */
  readonly place: ChangePlace | undefined;
  readonly isComplete: boolean;
}

async function readChanges(look: ClientLook, folder: Folder, { kind, place }: Reading): Promise<Read> {
  try {
    return await readFrom(look, folder, { kind, place: place ?? beginning(folder, kind) });
  } catch (error) {
    if (!(error instanceof ProviderError) || !isDeadLink(error)) throw error;
    // New mail is looked for also when a mail server knows no changes of this kind.
    if (place === undefined) return { found: [], place: undefined, isComplete: true };
    return readChanges(look, folder, { kind, place: undefined });
  }
}

function beginning({ path }: Folder, changeType: OtherChange): ChangePlace {
  const query = new URLSearchParams({ changeType, $select: 'id,isDraft' });
  return { link: `/v1.0/${path}/delta?${query.toString()}`, isPrimed: false };
}

async function readFrom(
  { client, mailAccount, signal }: ClientLook,
  { label }: Folder,
  { kind, place: { link, isPrimed } }: { kind: OtherChange; place: ChangePlace },
): Promise<Read> {
  const found: Found[] = [];
  let target = link;
  for (let page = 0; page < (isPrimed ? mostPages : mostFormerPages); page += 1) {
    const request = { method: 'GET', target, headers: graphHeaders, signal } as const;
    const answer = recordOf((await client.call(mailAccount, request)).json);
    const changed = listOf(answer.value)
      .map(recordOf)
      .filter((message) => isPrimed && isChange(message, kind));
    for (const { id } of changed) found.push({ subscriptionId: label.id, messageId: textOf(id), changeType: kind });
    const deltaLink = textOf(answer['@odata.deltaLink']);
    if (deltaLink !== '') return { found, place: { link: deltaLink, isPrimed: true }, isComplete: true };
    target = textOf(answer['@odata.nextLink']);
    if (target === '') throw unreadable();
  }
  return { found, place: { link: target, isPrimed }, isComplete: false };
}

function isChange({ id, isDraft, '@removed': removed }: Record<string, unknown>, kind: OtherChange): boolean {
  if (textOf(id) === '') return false;
  return kind === 'deleted' ? removed !== undefined : removed === undefined && isDraft !== true;
}
