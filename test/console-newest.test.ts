import { expect, test } from 'vitest';

// The console is a program of the browser, with types of its own.
const newest = new URL('../console/src/data/newest.ts', import.meta.url);
const { keepNewest } = (await import(newest.href)) as {
  readonly keepNewest: <T>(
    map: Map<string, T>,
    entry: readonly [string, T],
    keeping: { most: number; isUsed?: (value: T) => boolean },
  ) => void;
};

test('the entries that were asked for last are kept, with all that are in use', () => {
  const map = new Map<string, boolean>();
  const ask = (key: string): void =>
    keepNewest(map, [key, map.get(key) ?? key.startsWith('used')], { most: 3, isUsed: Boolean });
  for (const key of ['used 1', 'a', 'b', 'c', 'b', 'd', 'used 2', 'e']) ask(key);
  expect(Array.from(map.keys())).toEqual(['used 1', 'b', 'd', 'used 2', 'e']);
});

test('an entry that is no longer in use is dropped with its turn', () => {
  const used = new Set(['a']);
  const map = new Map<string, string>();
  const ask = (key: string): void => keepNewest(map, [key, key], { most: 2, isUsed: (it) => used.has(it) });
  for (const key of ['a', 'b', 'c', 'd']) ask(key);
  expect(Array.from(map.keys())).toEqual(['a', 'c', 'd']);
  used.clear();
  ask('e');
  expect(Array.from(map.keys())).toEqual(['d', 'e']);
});
