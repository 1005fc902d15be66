import { expect, test } from 'vitest';
import { Lazy } from './lazy.ts';

test('it is made once, with its first use, and ended once', async () => {
  const log: string[] = [];
  const make = async (): Promise<string> => {
    log.push('made');
    return 'it';
  };
  const lazy = new Lazy(make, async (made) => void log.push(`${made} ended`));
  expect(log).toEqual([]);
  expect(await Promise.all([lazy.get(), lazy.get()])).toEqual(['it', 'it']);
  await lazy[Symbol.asyncDispose]();
  expect(log).toEqual(['made', 'it ended']);
  await expect(lazy.get()).rejects.toThrow('closed');
});

test('a use after one that could not make it tries again', async () => {
  let tries = 0;
  const lazy = new Lazy(async () => {
    tries += 1;
    if (tries === 1) throw new Error('too many open files');
    return tries;
  });
  await expect(lazy.get()).rejects.toThrow('too many open files');
  expect(await lazy.get()).toBe(2);
  expect(await lazy.get()).toBe(2);
});

test('what was never used, or could not be made, is disposed without an error', async () => {
  const ended = async (): Promise<void> => expect.unreachable();
  await new Lazy(async () => 'it', ended)[Symbol.asyncDispose]();
  const failing = new Lazy(() => Promise.reject(new Error('no')), ended);
  const [used] = await Promise.allSettled([failing.get(), failing[Symbol.asyncDispose]()]);
  expect(used.status).toBe('rejected');
});
