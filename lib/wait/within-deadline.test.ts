import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withinDeadline } from './within-deadline.ts';

const never = new Promise<never>(() => {});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('work that ends in time gives the result, and the timer is cleared', async () => {
  expect(await withinDeadline(Promise.resolve('done'), 1_000, () => 'late')).toBe('done');
  await expect(withinDeadline(Promise.reject(new Error('broken')), 1_000, () => 'late')).rejects.toThrow('broken');
  expect(vi.getTimerCount()).toBe(0);
});

test('after the deadline it settles as `late` does', async () => {
  const outcomes = Promise.allSettled([
    withinDeadline(never, 1_000, () => 'late'),
    withinDeadline(never, 1_000, () => {
      throw new Error('no answer');
    }),
  ]);
  vi.advanceTimersByTime(1_000);
  expect(await outcomes).toEqual([
    { status: 'fulfilled', value: 'late' },
    { status: 'rejected', reason: new Error('no answer') },
  ]);
});

test('work that fails after the deadline is no unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const work = Promise.withResolvers<never>();
  const outcome = withinDeadline(work.promise, 10, () => 'late');
  vi.advanceTimersByTime(10);
  expect(await outcome).toBe('late');
  work.reject(new Error('too late'));
  vi.useRealTimers();
  // Node reports unhandled rejections after the microtasks, before the next immediate.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
