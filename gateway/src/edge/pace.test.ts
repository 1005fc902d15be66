import { expect, it } from 'vitest';
import { Pace } from './pace.ts';

it('lets a burst through at once, and then so many bytes a second', () => {
  let now = 0;
  const pace = new Pace({ bytesPerSecond: 1_000, burstBytes: 500 }, () => now);
  expect([pace.take(500), pace.take(100), pace.take(100)]).toEqual([0, 100, 200]);
  now = 200;
  expect(pace.take(1)).toBe(1);
  now = 10_000;
  expect([pace.take(400), pace.take(100), pace.take(1)]).toEqual([0, 0, 1]);
});
