import { expect, test } from 'vitest';
import { uuidOf } from './uuid-of.ts';

test('the same parts have the same UUID of version 8', () => {
  expect(uuidOf('a', 1)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(uuidOf('a', 1)).toBe(uuidOf('a', 1));
});

test('parts that differ in content, order, number or limits have different ids', () => {
  const all = [
    uuidOf('a', 'b'),
    uuidOf('b', 'a'),
    uuidOf('ab'),
    uuidOf('a', 'b', ''),
    uuidOf('a"', 'b'),
    uuidOf('a', 1),
    uuidOf('a', '1'),
  ];
  expect(new Set(all).size).toBe(all.length);
});
