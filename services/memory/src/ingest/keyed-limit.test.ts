import { expect, test } from 'vitest';
import { createKeyedLimit } from './keyed-limit.ts';

test('work of one key never overlaps, all keys together stay within the limit, and a failure does not stop other work', async () => {
  const limit = createKeyedLimit(2);
  const running = new Map<string, number>();
  let most = 0;
  const order: number[] = [];
  const work = (key: string, index: number) => async (): Promise<number> => {
    running.set(key, (running.get(key) ?? 0) + 1);
    expect(running.get(key)).toBe(1);
    most = Math.max(
      most,
      [...running.values()].reduce((sum, one) => sum + one, 0),
    );
    await new Promise((resolve) => setTimeout(resolve, index % 3));
    running.set(key, 0);
    order.push(index);
    if (index % 5 === 0) throw new Error('no');
    return index;
  };
  const keys = ['a', 'b', 'c'];
  const all = Array.from({ length: 30 }, (_, index) => {
    const key = keys[index % 3] ?? '';
    return limit(key, work(key, index));
  });
  const settled = await Promise.allSettled(all);
  expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(6);
  expect(most).toBe(2);
  for (const [offset] of keys.entries()) {
    const own = order.filter((index) => index % 3 === offset);
    expect(own).toEqual(own.toSorted((a, b) => a - b));
  }
});
