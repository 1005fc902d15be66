import { chunkPlaces } from '../postings/place-set.ts';
import type { Unit } from './plan.ts';

/** Bitmaps of the entries that hold a term, by term and chunk. */
export type Postings = ReadonlyMap<string, ReadonlyMap<number, Uint8Array>>;

/** How many units each place matches, by chunk. */
export type Counts = ReadonlyMap<number, Uint8Array>;

/** Counts, for every place that the postings name, how many units it matches. */
export function countUnits(units: readonly Unit[], postings: Postings): Counts {
  const counts = new Map<number, Uint8Array>();
  for (const unit of units) {
    for (const [chunk, bitmap] of matchesOf(unit, postings)) {
      const ofChunk = counts.get(chunk) ?? new Uint8Array(chunkPlaces);
      counts.set(chunk, ofChunk);
      addBits(ofChunk, bitmap);
    }
  }
  return new Map([...counts].toSorted(([a], [b]) => a - b));
}

function matchesOf(unit: Unit, postings: Postings): Map<number, Uint8Array> {
  const matches = new Map<number, Uint8Array>();
  for (const terms of unit) {
    for (const [chunk, bitmap] of allOf(terms, postings)) {
      const others = matches.get(chunk);
      matches.set(chunk, others === undefined ? bitmap : combine(others, bitmap, (a, b) => a | b));
    }
  }
  return matches;
}

/** Places that hold every one of the terms. */
function allOf(terms: readonly string[], postings: Postings): Map<number, Uint8Array> {
  const [first, ...rest] = terms;
  const found = new Map(first === undefined ? [] : postings.get(first));
  for (const term of rest) {
    for (const [chunk, bitmap] of found) {
      const other = postings.get(term)?.get(chunk);
      if (other === undefined) found.delete(chunk);
      else
        found.set(
          chunk,
          combine(bitmap, other, (a, b) => a & b),
        );
    }
  }
  return found;
}

function combine(a: Uint8Array, b: Uint8Array, join: (a: number, b: number) => number): Uint8Array {
  return a.map((byte, index) => join(byte, b[index] ?? 0));
}

function addBits(counts: Uint8Array, bitmap: Uint8Array): void {
  for (let index = 0; index < bitmap.length; index++) {
    const byte = bitmap[index] ?? 0;
    if (byte === 0) continue;
    const base = index * 8;
    for (let bit = 0; bit < 8; bit++) counts[base + bit] = (counts[base + bit] ?? 0) + ((byte >> bit) & 1);
  }
}
