import { chunkPlaces } from '../postings/place-set.ts';
import type { Counts } from './count.ts';

/** An entry that may be an answer. */
export interface Candidate {
  readonly place: number;
  /** How much of the query it matches. */
  readonly count: number;
}

/** Most matches first, then in the order of insertion. */
export function compareCandidates(a: Candidate, b: Candidate): number {
  return b.count - a.count || a.place - b.place;
}

/** All places that match anything, in the order of `compareCandidates`. Lazy: few are ever asked for. */
export function* candidatesOf(counts: Counts): Generator<Candidate, undefined> {
  let most = 0;
  for (const chunk of counts.values()) for (const count of chunk) if (count > most) most = count;
  for (let count = most; count > 0; count--) {
    for (const [chunk, ofChunk] of counts) {
      for (let at = ofChunk.indexOf(count); at >= 0; at = ofChunk.indexOf(count, at + 1)) {
        yield { place: chunk * chunkPlaces + at, count };
      }
    }
  }
}

/** As `candidatesOf` the one, but without places that the other counts at all. */
export function* candidatesBeside(counts: Counts, others: Counts): Generator<Candidate, undefined> {
  for (const candidate of candidatesOf(counts)) {
    const other = others.get(Math.floor(candidate.place / chunkPlaces));
    if ((other?.[candidate.place % chunkPlaces] ?? 0) === 0) yield candidate;
  }
}
