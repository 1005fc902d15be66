import type { List } from '@agentmesh/client';
import type { Output } from './output.ts';

/** The first entries of a list. */
export interface First<T> {
  readonly items: readonly T[];
  /** Whether there are more entries than were asked for. */
  readonly hasMore: boolean;
  /** Whether the list was left before that many entries were found, or its end. */
  readonly isCut: boolean;
}

/** Entries of a page, which each list allows. */
const longestPage = 200;
/** Pages that are read beyond those that as many entries fill. With filters the server looks through thousands of runs for a page, and may find none. */
const sparePages = 10;

/** The first entries of a list with pages of `limit` entries. A page may have fewer, or none, although others follow. */
export async function firstOf<T>(listOf: (limit: number) => List<T>, count: number): Promise<First<T>> {
  const limit = Math.min(count, longestPage);
  const list = listOf(limit);
  const items: T[] = [];
  let cursor: string | undefined;
  for (let rest = Math.ceil(count / limit) + sparePages; rest > 0; rest -= 1) {
    const page = await list.page(cursor);
    items.push(...page.items);
    cursor = page.next;
    if (cursor === undefined || items.length >= count) break;
  }
  const hasMore = items.length > count || (items.length === count && cursor !== undefined);
  return { items: items.slice(0, count), hasMore, isCut: items.length < count && cursor !== undefined };
}

/** Prints the first entries of a list, and says where there are more. */
export function showFirst<T extends object>(output: Output, first: First<T>, columns: readonly string[]): void {
  output.rows(first.items, columns);
  if (first.hasMore) output.note('There are more: type a larger --limit.');
}
