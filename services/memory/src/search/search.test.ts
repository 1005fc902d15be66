import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunkPlaces, clearBit, fromBitmap, locate, offsetsOf, setBit, toBitmap } from '../place-set.ts';
import { candidatesBeside, candidatesOf } from './candidates.ts';
import { countUnits, type Postings } from './count.ts';
import { pickBest } from './pick-best.ts';
import type { Unit } from './plan.ts';

const offsets = fc.uniqueArray(fc.nat({ max: chunkPlaces - 1 }), { maxLength: 700 });

describe('a stored set', () => {
  test('contains the places that were added and not removed, sparse or dense', () => {
    fc.assert(
      fc.property(offsets, offsets, (put, taken) => {
        const bitmap = toBitmap(undefined);
        for (const offset of put) setBit(bitmap, offset);
        const again = toBitmap(fromBitmap(bitmap));
        expect(again).toEqual(bitmap);
        for (const offset of taken) clearBit(again, offset);
        const left = put.filter((offset) => !taken.includes(offset)).toSorted((a, b) => a - b);
        const stored = fromBitmap(again);
        expect(offsetsOf(toBitmap(stored))).toEqual(left);
        expect(stored.length).toBe(Math.min(left.length * 2, chunkPlaces / 8));
      }),
      { numRuns: 50 },
    );
  });
});

const terms = ['a', 'b', 'c', 'd'] as const;
const places = fc.uniqueArray(fc.nat({ max: 3 * chunkPlaces - 1 }), { maxLength: 60 });
const unit = fc.array(fc.array(fc.constantFrom(...terms), { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 3,
});
type Held = Readonly<Record<(typeof terms)[number], number[]>>;
const anyHeld: fc.Arbitrary<Held> = fc.record({ a: places, b: places, c: places, d: places });

function postingsOf(held: Held): Postings {
  const postings = new Map<string, Map<number, Uint8Array>>();
  for (const term of terms) {
    const chunks = new Map<number, Uint8Array>();
    for (const place of held[term]) {
      const { chunk, offset } = locate(place);
      const bitmap = chunks.get(chunk) ?? toBitmap(undefined);
      chunks.set(chunk, bitmap);
      setBit(bitmap, offset);
    }
    postings.set(term, chunks);
  }
  return postings;
}

function naive(units: readonly Unit[], held: Held) {
  const all = [...new Set(terms.flatMap((term) => held[term]))];
  const has = (place: number, term: string) => held[term as keyof Held].includes(place);
  const matches = (place: number) =>
    units.filter((one) => one.some((every) => every.every((term) => has(place, term))));
  return all
    .map((place) => ({ place, count: matches(place).length }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count || a.place - b.place);
}

describe('counting', () => {
  test('gives every place the same rank as counting one by one', () => {
    fc.assert(
      fc.property(
        anyHeld,
        fc.array(unit, { maxLength: 9 }),
        fc.array(unit, { maxLength: 2 }),
        (held, units, others) => {
          const counts = countUnits(units, postingsOf(held));
          const beside = countUnits(others, postingsOf(held));
          const expected = naive(units, held);
          expect([...candidatesOf(counts)]).toEqual(expected);
          const known = new Set(naive(others, held).map(({ place }) => place));
          expect([...candidatesBeside(counts, beside)]).toEqual(expected.filter(({ place }) => !known.has(place)));
        },
      ),
    );
  });

  test('does not change its input', () => {
    const postings = postingsOf({ a: [1, 2], b: [2, 3], c: [], d: [] });
    const units = [[['a'], ['b']], [['a']]];
    expect([...candidatesOf(countUnits(units, postings))]).toEqual([...candidatesOf(countUnits(units, postings))]);
  });
});

test('the best candidates are found although the counts are upper bounds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ bound: fc.integer({ min: 1, max: 5 }), loss: fc.nat({ max: 5 }), gone: fc.boolean() }), {
        maxLength: 90,
      }),
      fc.integer({ min: 1, max: 12 }),
      async (entries, limit) => {
        const all = entries.map(({ bound, loss, gone }, place) => ({
          place,
          bound,
          gone,
          count: Math.max(0, bound - loss),
        }));
        const ordered = all
          .map(({ place, bound: count }) => ({ place, count }))
          .toSorted((a, b) => b.count - a.count || a.place - b.place);
        const found = await pickBest(ordered[Symbol.iterator]() as Iterator<(typeof ordered)[number], undefined>, {
          limit,
          look: async (candidates) =>
            candidates.flatMap(({ place }) => {
              const entry = all[place];
              return entry === undefined || entry.gone ? [] : [{ place, count: entry.count, value: place }];
            }),
        });
        const expected = all
          .filter(({ gone, count }) => !gone && count > 0)
          .toSorted((a, b) => b.count - a.count || a.place - b.place)
          .slice(0, limit);
        expect(found.map(({ place }) => place)).toEqual(expected.map(({ place }) => place));
      },
    ),
  );
});
