import { selectEntries, type StoredEntry } from '../store/entries.ts';
import type { Partition } from '../store/partitions.ts';
import { fuse } from './fuse.ts';
import type { Meaning } from './meaning.ts';
import { type Reading, searchText } from './search-text.ts';

interface Searching extends Reading {
  /** Absent: entries are found by their words only. */
  readonly embedding?: { readonly meaning: Meaning };
}

/** Number of places of each ranking that are fused. */
const fused = 50;

/** Finds entries that match a query, best first: by their words, and if a model is set also by meaning. */
export async function search(
  context: Searching,
  partition: Partition,
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<StoredEntry[]> {
  const { db, embedding } = context;
  if (embedding === undefined) return searchText(context, partition, { query, limit });
  const [said, meant] = await Promise.all([
    searchText(context, partition, { query, limit: Math.max(limit, fused) }),
    embedding.meaning.rank(partition, query),
  ]);
  if (meant.length === 0) return said.slice(0, limit);
  const places = fuse([said.map(({ place }) => place), meant]);
  return selectEntries(db, partition, places.slice(0, limit));
}
