import fc from 'fast-check';
import { expect, it } from 'vitest';
import { measureJson } from './json-bounds.ts';
import { deepestNesting, JsonCounter, mostValues } from './json-counter.ts';

/** Containers, and one for each comma and colon. */
function marksOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const children: unknown[] = Object.values(value);
  const keys = Array.isArray(value) ? 0 : children.length;
  const commas = Math.max(0, children.length - 1);
  return children.reduce<number>((sum, child) => sum + marksOf(child), 1 + keys + commas);
}

const text = fc.string({ unit: fc.constantFrom(...'{}[]",:\\é\n '.split('')), maxLength: 400 });
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(text, fc.double(), fc.constant(null), fc.array(tie('value')), fc.dictionary(text, tie('value'))),
}));

it('counts the values of every JSON text, whatever its strings hold', () => {
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 1), (one, indent) => {
      const { values, excess } = measureJson(Buffer.from(JSON.stringify(one, undefined, indent)));
      expect([values, excess]).toEqual([1 + marksOf(JSON.parse(JSON.stringify(one))), undefined]);
    }),
    { numRuns: 2_000 },
  );
});

it('counts at least as much as a parser has built, for any bytes', () => {
  fc.assert(
    fc.property(text, (bytes) => {
      const { values } = measureJson(Buffer.from(bytes));
      expect(values).toBeGreaterThanOrEqual(1);
      expect(values).toBeLessThanOrEqual(Buffer.byteLength(bytes) + 1);
    }),
  );
});

it('stops where a limit is passed', () => {
  const deep = Buffer.from('['.repeat(1_000_000));
  expect(measureJson(deep).excess).toEqual({ at: deepestNesting, error: 'Nesting is deeper than 200 levels' });
  const wide = Buffer.from(`[${'1,'.repeat(1_000_000)}1]`);
  expect(measureJson(wide)).toMatchObject({ values: mostValues + 1, excess: { at: 2 * (mostValues - 1) } });
  expect(measureJson(Buffer.from(`[${'1,'.repeat(mostValues - 3)}1]`)).excess).toBeUndefined();
});

it('counts a text in pieces as it counts the whole, wherever it is cut', () => {
  const cut = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 60 });
  fc.assert(
    fc.property(text, cut, fc.boolean(), (some, lengths, isLong) => {
      // A long string is searched in another way than a short one.
      const bytes = Buffer.from(isLong ? `["${'x'.repeat(130)}${some}` : some);
      const counter = new JsonCounter();
      let at = 0;
      for (const length of lengths) counter.add(bytes.subarray(at, (at += length)));
      const excess = counter.add(bytes.subarray(at));
      expect({ values: counter.values, excess }).toEqual(measureJson(bytes));
    }),
    { numRuns: 3_000 },
  );
});

it('tells the byte at which a text in pieces passes a limit', () => {
  const counter = new JsonCounter();
  const piece = Buffer.from('["é",'.repeat(20));
  const excess = Array.from({ length: 11 }, () => counter.add(piece)).findLast((one) => one !== undefined);
  expect(excess).toEqual(measureJson(Buffer.concat(Array.from({ length: 11 }, () => piece))).excess);
});
