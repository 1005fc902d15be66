import { expect, test, vi } from 'vitest';
import { orderedUuid } from './ordered-uuid.ts';

test('ids are UUIDs of version 4 in their form, and differ within a millisecond', () => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
  const ids = Array.from({ length: 10_000 }, orderedUuid);
  for (const id of ids) expect(id).toMatch(/^018bcfe5-6800-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(ids).size).toBe(ids.length);
  vi.useRealTimers();
});

test('an id of a later millisecond is behind all earlier ones', () => {
  vi.useFakeTimers({ now: 0 });
  const ids = [0, 1, 15, 16, 65_535, 65_536, 1_700_000_000_000, 2 ** 48 - 1].map((ms) => {
    vi.setSystemTime(ms);
    return orderedUuid();
  });
  expect(ids.toSorted()).toEqual(ids);
  vi.useRealTimers();
});
