import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { unlessAborted } from './unless-aborted.ts';

const reason = new Error('stop');

test('settles as the work does, and leaves no listener on the signal', async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve(7), signal)).toBe(7);
  await expect(unlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('rejects with the reason when the signal aborts first, and ignores that the work fails later', async () => {
  const stopping = new AbortController();
  const work = Promise.withResolvers<never>();
  const waiting = unlessAborted(work.promise, stopping.signal);
  stopping.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  work.reject(new Error('late'));
  await expect(unlessAborted(Promise.reject(new Error('ignored')), stopping.signal)).rejects.toThrow();
});

test('rejects at once when the signal has aborted before', async () => {
  await expect(unlessAborted(new Promise(() => undefined), AbortSignal.abort(reason))).rejects.toBe(reason);
});
