import { expect, test } from 'vitest';
import { AnswerShape, type ShapeBounds } from './answer-shape.ts';

const bytes = 8 * 1024 * 1024;
const bounds = { mostBytes: bytes, mostEventBytes: undefined, mostLines: 1, isNoList: false, isOpaque: false };
const refusal = (text: string, given: ShapeBounds = bounds) => new AnswerShape(given).take(Buffer.from(text))?.message;

test('JSON that is too deep is refused where it is, without reading the rest of the chunk', () => {
  let read = 0;
  const chunk = new Proxy(Buffer.alloc(bytes, '['), {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) read += 1;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  expect(new AnswerShape(bounds).take(chunk)?.message).toContain('more than 5000 levels');
  expect(read).toBe(5_001);
});

test('brackets that close again do not hide how deep it was, nor do brackets that close nothing', () => {
  expect(refusal('['.repeat(5_001) + ']'.repeat(5_001))).toContain('more than 5000 levels');
  expect(refusal('['.repeat(5_000) + ']'.repeat(5_001))).toBeUndefined();
  const events = { ...bounds, mostEventBytes: bytes, mostLines: 100 };
  expect(refusal(`: ${']'.repeat(5_000)}\ndata: ${'['.repeat(5_001)}`, events)).toContain('more than 5000 levels');
});
