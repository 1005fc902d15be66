import { chunkPlaces } from '../place-set.ts';
import { type ChunkCounts, type Counts, isCounted, placesOfCount } from './count.ts';

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

/** Yields all places that match anything, in the order of `compareCandidates`. Lazy, because few are read. */
export function* candidatesOf({ most, chunks }: Counts): Generator<Candidate, undefined> {
  for (let count = most; count > 0; count--) {
    for (const ofChunk of chunks) yield* candidatesIn(ofChunk, count);
  }
}

function* candidatesIn(ofChunk: ChunkCounts, count: number): Generator<Candidate, undefined> {
  const first = ofChunk.chunk * chunkPlaces;
  for (let word = 0; word < chunkPlaces / 32; word++) {
    for (let bits = placesOfCount(ofChunk, word, count); bits !== 0; bits &= bits - 1) {
      yield { place: first + word * 32 + 31 - Math.clz32(bits & -bits), count };
    }
  }
}

/** Like `candidatesOf(one)`, but skips places that `other` counts. */
export function* candidatesBeside(counts: Counts, others: Counts): Generator<Candidate, undefined> {
  for (const candidate of candidatesOf(counts)) if (!isCounted(others, candidate.place)) yield candidate;
}
