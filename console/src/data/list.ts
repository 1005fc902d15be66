import type { List } from '@agentmesh/client';
import { useSignal } from '@preact/signals';
import { type Known, useQuery } from './query.ts';

export interface Listed<T> extends Known<readonly T[]> {
  /** Reads the next page; undefined behind the last one. */
  readonly more: (() => Promise<void>) | undefined;
}

interface Further<T> {
  readonly key: string;
  readonly items: readonly T[];
  readonly next: string | undefined;
}

export interface ListQuery<T> {
  readonly key: string;
  readonly read: () => List<T>;
  readonly idOf: (item: T) => string | number;
  readonly everyMs?: number;
}

/** A list that is read page by page. Its first page is kept current; entries of further pages stay as they were read. */
export function useList<T>({ key, read, idOf, everyMs }: ListQuery<T>): Listed<T> {
  const first = useQuery(key, () => read().page(), { everyMs });
  const further = useSignal<Further<T>>({ key, items: [], next: undefined });
  const added = further.value.key === key ? further.value : undefined;
  const { items = [], next } = first.data ?? {};
  const fresh = new Set(items.map(idOf));
  const all = [...items, ...(added?.items ?? []).filter((item) => !fresh.has(idOf(item)))];
  const cursor = added === undefined || added.items.length === 0 ? next : added.next;
  const more = async (): Promise<void> => {
    const page = await read().page(cursor);
    further.value = { key, items: [...(added?.items ?? []), ...page.items], next: page.next };
  };
  return { ...first, data: first.data && all, more: cursor === undefined ? undefined : more };
}
