import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonFault } from '../../edge/json/json-fault.ts';
import { JsonStringDecoder } from './json-string-decoder.ts';

const meant = fc.string({ unit: 'binary', maxLength: 60 });
const escaped = meant.map((text) =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[a-m]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)
    .replaceAll('/', '\\/'),
);
const near = fc
  .array(fc.constantFrom('a', 'é', '🎿', '\\n', '\\', '\\u', '\\u00e9', '\\ud83c', '\\udfbf', '\\x', '\t', '0'), {
    maxLength: 12,
  })
  .map((pieces) => pieces.join(''));
const cuts = fc.array(fc.nat(100), { maxLength: 6 });

function decodeInPieces(raw: string, at: readonly number[]) {
  const decoder = new JsonStringDecoder();
  const bytes = Buffer.from(raw);
  const edges = [...at.filter((cut) => cut < bytes.length), 0, bytes.length].toSorted((a, b) => a - b);
  const pieces = edges
    .slice(1)
    .map((edge, index) => decoder.decode(bytes.subarray(edges[index], edge), index === edges.length - 2));
  return { decoder, text: Buffer.concat(pieces).toString() };
}

describe('a JSON string that flows', () => {
  it('means what JSON.parse says, however it is cut, and counts its raw UTF-16 units', () => {
    fc.assert(
      fc.property(fc.oneof(escaped, near), cuts, (raw, at) => {
        const { decoder, text } = decodeInPieces(raw, at);
        let parsed: string | undefined;
        try {
          parsed = JSON.parse(`"${raw}"`) as string;
        } catch {
          const fault = findJsonFault(`"${raw}"`);
          // A backslash before the closing quote escapes it: that string has no end, which is for the scanner to see.
          if (fault.error.startsWith('Unterminated')) return;
          expect(decoder.fault).toEqual({ offset: fault.offset - 1, error: fault.error });
          return;
        }
        expect(decoder.fault).toBeUndefined();
        expect(text).toBe(parsed.toWellFormed());
        expect([decoder.units, decoder.hasLoneSurrogate]).toEqual([raw.length, !parsed.isWellFormed()]);
      }),
      { numRuns: 3000 },
    );
  });
});
