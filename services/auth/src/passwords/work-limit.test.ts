import { describe, expect, test } from 'vitest';
import { createWorkLimit } from './work-limit.ts';

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, work: () => promise };
}

describe('a work limit', () => {
  test('runs no more than its number at once, in the order asked', async () => {
    const limit = createWorkLimit(2, { urgent: 100, other: 100 });
    const order: number[] = [];
    let running = 0;
    let most = 0;
    const work = async (index: number): Promise<void> => {
      order.push(index);
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => limit.run(() => work(index))));
    expect(most).toBe(2);
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  test('starts the next work after one that failed', async () => {
    const limit = createWorkLimit(1, { urgent: 100, other: 100 });
    await expect(limit.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await limit.run(() => Promise.resolve('next'))).toBe('next');
  });

  test('never starts work whose caller has gone', async () => {
    const limit = createWorkLimit(1, { urgent: 100, other: 100 });
    const first = gate();
    const running = limit.run(first.work);
    const caller = new AbortController();
    let started = false;
    const waiting = limit.run(() => Promise.resolve((started = true)), { signal: caller.signal });
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'canceled' });
    await expect(limit.run(() => Promise.resolve((started = true)), { signal: caller.signal })).rejects.toMatchObject({
      code: 'canceled',
    });
    first.open();
    await running;
    expect(await limit.run(() => Promise.resolve('after'))).toBe('after');
    expect(started).toBe(false);
  });

  test('runs urgent work first, and gives other work a short queue of its own', async () => {
    const limit = createWorkLimit(1, { urgent: 10, other: 2 });
    const first = gate();
    const order: string[] = [];
    const run = (name: string, isUrgent: boolean) => limit.run(async () => void order.push(name), { isUrgent });
    const all = [limit.run(first.work), run('sign-up 1', false), run('sign-up 2', false)];
    await expect(run('sign-up 3', false)).rejects.toMatchObject({ reason: 'password_work_busy' });
    all.push(run('sign-in 1', true), run('sign-in 2', true));
    first.open();
    await Promise.all(all);
    expect(order).toEqual(['sign-in 1', 'sign-in 2', 'sign-up 1', 'sign-up 2']);
  });

  test('refuses work when its queue is full', async () => {
    const limit = createWorkLimit(1, { urgent: 1, other: 0 });
    const first = gate();
    const running = [limit.run(first.work), limit.run(first.work)];
    await expect(limit.run(first.work)).rejects.toMatchObject({
      code: 'resource_exhausted',
      reason: 'password_work_busy',
    });
    first.open();
    await Promise.all(running);
  });
});
