import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBase64 } from '../../edge/validation/index.ts';
import { Base64Decoder } from './base64-decoder.ts';

const near = fc.string({ unit: fc.constantFrom(...'ABCDwxyz0189+/-_=! é'.split('')), maxLength: 60 });
const good = fc.uint8Array({ maxLength: 200 }).chain((bytes) => {
  const standard = Buffer.from(bytes).toString('base64');
  const url = Buffer.from(bytes).toString('base64url');
  return fc.constantFrom(standard, url, standard.replaceAll('=', ''));
});
const cuts = fc.array(fc.nat(80), { maxLength: 6 });

function decodeInPieces(text: string, at: readonly number[]): { value: string } | { fault: string } {
  const decoder = new Base64Decoder();
  const bytes = Buffer.from(text);
  const edges = [...at.filter((cut) => cut < bytes.length), 0, bytes.length].toSorted((a, b) => a - b);
  const pieces = edges.slice(1).map((edge, index) => decoder.decode(bytes.subarray(edges[index], edge)));
  const last = decoder.finish();
  if ('fault' in last) return last;
  const value = Buffer.concat([...pieces, last.bytes]).toString('base64url');
  return { value: value.padEnd(Math.ceil(value.length / 4) * 4, '=') };
}

describe('base64 that flows', () => {
  it('decodes to the same bytes as the whole text, for any chunks', () => {
    fc.assert(
      fc.property(good, cuts, (text, at) => {
        expect(decodeInPieces(text, at)).toEqual(readBase64(text));
      }),
    );
  });

  it('is refused exactly when the whole text is, for the same reason unless it mixes alphabets', () => {
    fc.assert(
      fc.property(near, cuts, (text, at) => {
        const whole = readBase64(text);
        const flowing = decodeInPieces(text, at);
        expect(Object.keys(flowing)).toEqual(Object.keys(whole));
        if (!(/[+/]/.test(text) && /[-_]/.test(text))) expect(flowing).toEqual(whole);
      }),
      { numRuns: 2000 },
    );
  });
});
