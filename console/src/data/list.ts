import type { List, Page } from '@agentmesh/client';
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { keepNewest } from './newest.ts';
import { type Known, leftLists, useQuery } from './query.ts';

export interface Listed<T> extends Known<readonly T[]> {
  readonly key: string;
  /** Reads the next page; undefined behind the last one. */
  readonly more: (() => Promise<void>) | undefined;
}

/** The pages of a list that were read, one or several. */
interface Read<T> extends Page<T> {
  readonly key: string;
  readonly isLong: boolean;
  /** The list in which the next page begins where this one ends: another one may have been asked for since another time. */
  readonly list: List<T>;
}

/** Milliseconds for which pages without entries are read one after the other. */
const searchMs = 2_000;
/** Lists with further pages that are kept when their screen is left. */
const mostLeft = 10;

type IdOf<T> = (item: T) => string | number;

export interface ListQuery<T> {
  readonly key: string;
  readonly read: () => List<T>;
  readonly idOf: IdOf<T>;
  readonly everyMs?: number;
}

/**
 * A list that is read page by page. Its first page is kept current; entries of further pages stay as they were read, also for those who leave the screen and
 * come back.
 */
export function useList<T>({ key, read, idOf, everyMs }: ListQuery<T>): Listed<T> {
  const first = useQuery(key, () => readFirst(read()), { everyMs });
  const kept = useRef<Read<T>>(undefined);
  const pages = useSignal(1);
  // Draws the list again when a page was added.
  void pages.value;
  const before = kept.current?.key === key ? kept.current : (leftLists.get(key) as Read<T> | undefined);
  const shown = first.data === undefined ? undefined : { key, ...joined(first.data, before, idOf) };
  kept.current = shown;
  if (shown?.isLong === true) keepNewest(leftLists, [key, shown], { most: mostLeft });
  const more = async (): Promise<void> => {
    if (shown === undefined) return;
    const { list, next } = shown;
    // A first page that is read anew meanwhile does not move the end of the list any more.
    if (kept.current?.key === key) kept.current = { ...kept.current, isLong: true };
    const page = await readSome(list, next);
    const now = kept.current;
    if (now === undefined || now.key !== key || now.next !== next) return;
    const known = new Set(now.items.map(idOf));
    const added = page.items.filter((item) => !known.has(idOf(item)));
    kept.current = { key, items: [...now.items, ...added], next: page.next, isLong: true, list };
    pages.value += 1;
  };
  return { ...first, key, data: shown?.items, more: shown?.next === undefined ? undefined : more };
}

async function readFirst<T>(list: List<T>): Promise<Page<T> & Pick<Read<T>, 'list'>> {
  return { ...(await list.page()), list };
}

/** The next page that has entries. The server ends a page early where few entries match, and the search rests after a while without any. */
async function readSome<T>(list: List<T>, cursor: string | undefined): Promise<Page<T>> {
  const untilMs = performance.now() + searchMs;
  let page = await list.page(cursor);
  while (page.items.length === 0 && page.next !== undefined && performance.now() < untilMs)
    page = await list.page(page.next);
  return page;
}

/** The first page as it is now, with what was read behind it. Entries that it pushed out stay, because the cursor lies behind them. */
function joined<T>(
  first: Page<T> & Pick<Read<T>, 'list'>,
  before: Read<T> | undefined,
  idOf: IdOf<T>,
): Omit<Read<T>, 'key'> {
  if (before?.isLong !== true || first.next === undefined) return { ...first, isLong: false };
  const places = new Map(before.items.map((item, place) => [idOf(item), place]));
  const last = first.items.findLast((item) => places.has(idOf(item)));
  // So many are new that entries between the page and the older ones are unknown.
  if (last === undefined && first.items.length > 0) return { ...first, isLong: false };
  const fresh = new Set(first.items.map(idOf));
  const older = last === undefined ? before.items : before.items.slice((places.get(idOf(last)) ?? 0) + 1);
  const items = [...first.items, ...older.filter((item) => !fresh.has(idOf(item)))];
  return { items, next: before.next, isLong: true, list: before.list };
}
