import { expect, test, vi } from 'vitest';
import { Stopping, unlessEnded } from './stopping.ts';
import { whenOver } from './when-over.ts';

const [first, second] = [new Error('first'), new Error('second')];

test('work ends once, with the first reason, and tells those who have not taken their wait back', () => {
  const stopping = new Stopping();
  const [told, takenBack, late] = [vi.fn<() => void>(), vi.fn<() => void>(), vi.fn<() => void>()];
  stopping.onceEnded(told);
  stopping.onceEnded(takenBack)();
  expect(stopping.ended).toBeUndefined();
  stopping.abort(first);
  stopping.abort(second);
  stopping.onceEnded(late)();
  expect(stopping.ended).toBe(first);
  expect([told, takenBack, late].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 0]);
});

test.each(['before', 'after'])('the signal that is made %s the end aborts with its reason', (when) => {
  const stopping = new Stopping();
  const early = when === 'before' ? stopping.signal : undefined;
  stopping.abort(first);
  expect([stopping.signal.aborted, stopping.signal.reason]).toEqual([true, first]);
  expect(early ?? stopping.signal).toBe(stopping.signal);
});

test('a wait settles as its work does, or rejects as soon as the work is to end', async () => {
  const stopping = new Stopping();
  expect(await unlessEnded(Promise.resolve(7), stopping)).toBe(7);
  await expect(unlessEnded(Promise.reject(second), stopping)).rejects.toBe(second);
  const waiting = unlessEnded(new Promise(() => undefined), stopping);
  stopping.abort(first);
  await expect(waiting).rejects.toBe(first);
  await expect(unlessEnded(Promise.reject(second), stopping)).rejects.toBe(first);
});

test('the end of work is told when it succeeds and when it fails, before those who wait for it', async () => {
  const log: string[] = [];
  await whenOver(Promise.resolve('done'), () => log.push('over')).then((result) => log.push(result));
  await whenOver(Promise.reject(first), () => log.push('over')).catch((error: unknown) => log.push(String(error)));
  expect(log).toEqual(['over', 'done', 'over', 'Error: first']);
});
