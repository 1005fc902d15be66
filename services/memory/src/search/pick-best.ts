import { type Candidate, compareCandidates } from './candidates.ts';

/** A candidate that was read, with its exact count. */
export interface Looked<T> extends Candidate {
  readonly value: T;
}

export interface PickOptions<T> {
  readonly limit: number;
  /** Reads candidates. Deleted ones are missing in the result, and counts may be lower than estimated. */
  readonly look: (candidates: readonly Candidate[]) => Promise<Looked<T>[]>;
}

/** Number of useless reads after which the search stops. */
const mostLooked = 2_000;
const smallestBatch = 16;

/**
 * Picks the best candidates. They come in the order of their estimated counts, which are upper bounds, so it reads them until
 * none of the rest can be better.
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
