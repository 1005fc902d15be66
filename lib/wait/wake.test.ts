import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Wake } from './wake.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a wake ends the wait that is under way', async () => {
  const wake = new Wake();
  const waiting = wake.wait({ timeoutMs: 1_000 });
  wake.wake();
  expect(await waiting).toBe(true);
});

test('wakes between two waits end the next one, and only that', async () => {
  const wake = new Wake();
  wake.wake();
  wake.wake();
  expect(await wake.wait()).toBe(true);
  const second = wake.wait({ timeoutMs: 1_000 });
  vi.advanceTimersByTime(1_000);
  expect(await second).toBe(false);
});

test('a wake after the end of a wait is kept for the next one', async () => {
  const wake = new Wake();
  const first = wake.wait({ timeoutMs: 10 });
  vi.advanceTimersByTime(10);
  wake.wake();
  expect(await first).toBe(false);
  expect(await wake.wait()).toBe(true);
});

test('an aborted signal ends a wait, also one that begins later, and loses no wake', async () => {
  const wake = new Wake();
  const stopping = new AbortController();
  const waiting = wake.wait({ signal: stopping.signal });
  stopping.abort();
  expect(await waiting).toBe(false);
  expect(await wake.wait({ signal: stopping.signal })).toBe(false);
  wake.wake();
  expect(await wake.wait({ signal: stopping.signal })).toBe(true);
});

test('a wait that is over leaves no timer and no listener, however it ended', async () => {
  const wake = new Wake();
  const { signal } = new AbortController();
  for (let round = 0; round < 20; round += 1) {
    const woken = wake.wait({ timeoutMs: 60_000, signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    wake.wake();
    await woken;
    const late = wake.wait({ timeoutMs: 1, signal });
    vi.advanceTimersByTime(1);
    await late;
  }
  expect(vi.getTimerCount()).toBe(0);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('a second wait at the same time is refused', async () => {
  const wake = new Wake();
  const first = wake.wait();
  expect(() => wake.wait()).toThrow('already');
  wake.wake();
  await first;
});
