import { type Candidate, compareCandidates } from './candidates.ts';

/** A candidate that was looked at: what it is, and its true count. */
export interface Looked<T> extends Candidate {
  readonly value: T;
}

export interface PickOptions<T> {
  readonly limit: number;
  /** Reads candidates; those that are gone are absent from the answer, and counts may come out lower. */
  readonly look: (candidates: readonly Candidate[]) => Promise<Looked<T>[]>;
}

/** Candidates that are looked at in vain before the search gives up. */
const mostLooked = 2_000;
const smallestBatch = 16;

/**
 * The best of candidates that come in the order of counts that are bounds from above: looks at them until none of the rest
 * can be better.
 */
export async function pickBest<T>(
  candidates: Iterator<Candidate, undefined>,
  { limit, look }: PickOptions<T>,
): Promise<Looked<T>[]> {
  const found: Looked<T>[] = [];
  let next = candidates.next();
  for (let looked = 0; !next.done && looked < mostLooked; ) {
    const batch: Candidate[] = [];
    for (; !next.done && batch.length < Math.max(limit, smallestBatch); next = candidates.next())
      batch.push(next.value);
    looked += batch.length;
    found.push(...(await look(batch)).filter(({ count }) => count > 0));
    found.sort(compareCandidates);
    const last = found[limit - 1];
    if (last !== undefined && (next.done || compareCandidates(last, next.value) < 0)) break;
  }
  return found.slice(0, limit);
}
