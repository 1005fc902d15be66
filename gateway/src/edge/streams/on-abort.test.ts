import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { onAbort } from './on-abort.ts';

test('thousands who wait for one signal are one listener, each is called once, and nobody who has left', () => {
  const ending = new AbortController();
  const called: number[] = [];
  const all = Array.from({ length: 1_000 }, (_, number) => onAbort(ending.signal, () => void called.push(number)));
  expect(getEventListeners(ending.signal, 'abort')).toHaveLength(1);
  for (const one of all.slice(2)) one[Symbol.dispose]();
  ending.abort();
  ending.abort();
  expect(called).toEqual([0, 1]);
});

test('one who comes after the signal has aborted is called at once', () => {
  const called: string[] = [];
  using _late = onAbort(AbortSignal.abort(), () => void called.push('late'));
  expect(called).toEqual(['late']);
});
