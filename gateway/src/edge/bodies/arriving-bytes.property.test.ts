import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArrivingBytes } from './arriving-bytes.ts';

const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 70_000 }), { maxLength: 40 });

test('bytes that arrive in chunks are the same as a whole, and hold at most twice their room', () => {
  fc.assert(
    fc.property(chunks, fc.boolean(), (arrays, isDeclared) => {
      const all = arrays.map((array) => Buffer.from(array));
      const expected = Buffer.concat(all);
      const bytes = new ArrivingBytes(isDeclared ? expected.length : undefined);
      for (const chunk of all) bytes.add(chunk);
      expect(bytes.length).toBe(expected.length);
      expect(Buffer.concat([...bytes.pieces()]).equals(expected)).toBe(true);
      const held = [...bytes.pieces()].map(({ buffer }) => buffer);
      const room = [...new Set(held)].reduce((sum, { byteLength }) => sum + byteLength, 0);
      if (all.length > 1) expect(room).toBeLessThanOrEqual(2 * expected.length);
      expect(bytes.take().equals(expected)).toBe(true);
      expect(bytes.length).toBe(0);
    }),
    { numRuns: 50 },
  );
});

test('the memory of bytes that are given up is given back at once', () => {
  const bytes = new ArrivingBytes(3_000_000);
  for (let count = 0; count < 40; count += 1) bytes.add(Buffer.alloc(50_000));
  const held = [...bytes.pieces()].map(({ buffer }) => buffer);
  bytes.free();
  expect([held.length > 1, held.every(({ byteLength }) => byteLength === 0), bytes.length]).toEqual([true, true, 0]);
});
