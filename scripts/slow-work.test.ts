import { expect, test } from 'vitest';
import { watchSlowWork } from './slow-work.mjs';

test('a work that takes too long is told of meanwhile, and ended once', async () => {
  const [told, ended]: [number[], number[]] = [[], []];
  watchSlowWork({ tell: (it) => told.push(it), giveUp: (it) => ended.push(it), tellMs: 20, mostMs: 200 });
  await expect.poll(() => ended).toEqual([0]);
  expect(told.length).toBeGreaterThan(1);
});

test('a work that is done in time is not ended', async () => {
  const ended: number[] = [];
  const done = watchSlowWork({ tell: () => undefined, giveUp: (it) => ended.push(it), tellMs: 20, mostMs: 50 });
  done();
  const { promise, resolve } = Promise.withResolvers<void>();
  watchSlowWork({ tell: () => undefined, giveUp: () => resolve(), tellMs: 20, mostMs: 100 });
  await promise;
  expect(ended).toEqual([]);
});
