import type { Database } from '@agentmesh/lib/pg';
import { selectEntries, type StoredEntry } from '../store/entries.ts';
import type { Partition } from '../store/partitions.ts';
import { findPostings } from '../store/postings.ts';
import { contentText } from '../text/content-text.ts';
import type { Lexicon } from '../text/lexicon.ts';
import { countMatches } from '../text/matching.ts';
import { type Candidate, candidatesBeside, candidatesOf } from './candidates.ts';
import { countUnits } from './count.ts';
import { type Looked, pickBest } from './pick-best.ts';
import { planQuery, queryWords, termsOf } from './plan.ts';

/** Surroundings of a search by words. */
export interface Reading {
  readonly db: Database;
  readonly lexicon: Lexicon;
}

/**
 * Entries that share words with the query: most distinct words first, then in the order of insertion. Entries
 * that share only stems, or parts of a text without spaces, follow.
 */
export async function searchText(
  { db, lexicon }: Reading,
  partition: Partition,
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<StoredEntry[]> {
  const words = queryWords(query);
  if (words.length === 0) return [];
  const plan = planQuery(words, await lexicon.stemsOf(words), partition.languages);
  const postings = await findPostings(db, partition, termsOf(plan));
  const whole = countUnits(plan.whole, postings);

  const read = async (candidates: readonly Candidate[]): Promise<Looked<StoredEntry>[]> => {
    const places = candidates.map(({ place }) => place);
    const counts = new Map(candidates.map(({ place, count }) => [place, count]));
    const entries = await selectEntries(db, partition, places);
    return entries.map((value) => ({ value, place: value.place, count: counts.get(value.place) ?? 0 }));
  };
  const judge = async (candidates: readonly Candidate[]): Promise<Looked<StoredEntry>[]> =>
    (await read(candidates)).map((one) => ({
      ...one,
      count: countMatches(plan.words, contentText(one.value.contentJson)),
    }));

  const found = await pickBest(candidatesOf(whole), { limit, look: plan.exact ? read : judge });
  const left = limit - found.length;
  if (left > 0 && plan.loose.length > 0) {
    const beside = candidatesBeside(countUnits(plan.loose, postings), whole);
    found.push(...(await pickBest(beside, { limit: left, look: read })));
  }
  return found.map(({ value }) => value);
}
