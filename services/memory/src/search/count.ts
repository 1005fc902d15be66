import { chunkPlaces } from '../place-set.ts';
import type { Unit } from './plan.ts';

/** Bitmaps of the entries that hold a term, by term and chunk. */
export type Postings = ReadonlyMap<string, ReadonlyMap<number, Uint8Array>>;

const words = chunkPlaces / 32;

/**
 * Counts units for all places of a chunk at once: bit n of the count of a place is in plane n, so a bitmap is added for 32
 * places at a time.
 */
export interface ChunkCounts {
  readonly chunk: number;
  readonly planes: Uint32Array[];
}

/** Number of units that each place matches, chunk by chunk in order. */
export interface Counts {
  /** Highest count of any place. */
  readonly most: number;
  readonly chunks: readonly ChunkCounts[];
}

/** Counts for every place of the postings how many units it matches. */
export function countUnits(units: readonly Unit[], postings: Postings): Counts {
  const counts = new Map<number, ChunkCounts>();
  for (const unit of units) {
    for (const [chunk, bitmap] of matchesOf(unit, postings)) {
      const ofChunk = counts.get(chunk) ?? { chunk, planes: [] };
      counts.set(chunk, ofChunk);
      addBitmap(ofChunk.planes, bitmap);
    }
  }
  return { most: units.length, chunks: [...counts.values()].toSorted((a, b) => a.chunk - b.chunk) };
}

/** The places of 32 in a row whose count is this one, as bits. */
export function placesOfCount({ planes }: ChunkCounts, word: number, count: number): number {
  if (count >= 1 << planes.length) return 0;
  let bits = -1;
  for (let plane = 0; plane < planes.length && bits !== 0; plane++) {
    const set = planes[plane]?.[word] ?? 0;
    bits &= (count >> plane) & 1 ? set : ~set;
  }
  return bits;
}

/** Whether a place matches any unit. */
export function isCounted({ chunks }: Counts, place: number): boolean {
  const chunk = Math.floor(place / chunkPlaces);
  const offset = place % chunkPlaces;
  const planes = chunks.find((one) => one.chunk === chunk)?.planes ?? [];
  return planes.some((plane) => (((plane[offset >> 5] ?? 0) >>> (offset & 31)) & 1) === 1);
}

function addBitmap(planes: Uint32Array[], bitmap: Uint32Array): void {
  for (let word = 0; word < words; word++) {
    let carry = bitmap[word] ?? 0;
    for (let plane = 0; carry !== 0; plane++) {
      const bits = (planes[plane] ??= new Uint32Array(words));
      const before = bits[word] ?? 0;
      bits[word] = before ^ carry;
      carry &= before;
    }
  }
}

function matchesOf(unit: Unit, postings: Postings): Map<number, Uint32Array> {
  const matches = new Map<number, Uint32Array>();
  for (const terms of unit) {
    for (const [chunk, bitmap] of allOf(terms, postings)) {
      const others = matches.get(chunk);
      matches.set(chunk, others === undefined ? bitmap : others.map((bits, word) => bits | (bitmap[word] ?? 0)));
    }
  }
  return matches;
}

/** Places that hold every one of the terms, in bitmaps of their own. */
function allOf(terms: readonly string[], postings: Postings): Map<number, Uint32Array> {
  const [first, ...rest] = terms.map((term) => postings.get(term));
  const found = new Map<number, Uint32Array>();
  for (const [chunk, bitmap] of first ?? []) {
    const others = rest.map((chunks) => chunks?.get(chunk));
    if (others.every((other) => other !== undefined)) found.set(chunk, intersect(bitmap, others));
  }
  return found;
}

function intersect(bitmap: Uint8Array, others: readonly Uint8Array[]): Uint32Array {
  const found = inWords(bitmap).slice();
  for (const other of others.map(inWords)) {
    for (let word = 0; word < words; word++) found[word] = (found[word] ?? 0) & (other[word] ?? 0);
  }
  return found;
}

/** The order of bytes within a word matters: bit n of a bitmap must be bit n % 32 of word n / 32. */
function inWords(bitmap: Uint8Array): Uint32Array {
  return new Uint32Array(bitmap.buffer, bitmap.byteOffset, words);
}
