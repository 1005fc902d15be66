import { expect, test } from 'vitest';
import { AnswerShape } from './answer-shape.ts';

const bytes = 8 * 1024 * 1024;

/** Least time in milliseconds that a chunk takes, and why it was refused. */
function timeOf(chunk: Uint8Array): { ms: number; fault: string | undefined } {
  const bounds = { mostBytes: bytes, mostEventBytes: undefined, mostLines: 1, isNoList: false, isOpaque: false };
  const tries = Array.from({ length: 5 }, () => {
    const startedAt = performance.now();
    const refused = new AnswerShape(bounds).take(chunk);
    return { ms: performance.now() - startedAt, fault: refused?.message };
  });
  return tries.reduce((best, one) => (one.ms < best.ms ? one : best));
}

test('JSON that is too deep is refused where it is, without reading the rest of the chunk', () => {
  const deep = timeOf(Buffer.alloc(bytes, '['));
  const plain = timeOf(Buffer.alloc(bytes, 'x'));
  expect(deep.fault).toContain('more than 5000 levels');
  expect(plain.fault).toBeUndefined();
  expect(deep.ms).toBeLessThan(plain.ms / 10);
});

test('brackets that close again in the chunk do not hide how deep it was', () => {
  const chunk = Buffer.from('['.repeat(5_001) + ']'.repeat(5_001));
  expect(timeOf(chunk).fault).toContain('more than 5000 levels');
  expect(timeOf(chunk.subarray(1, -1)).fault).toBeUndefined();
});
