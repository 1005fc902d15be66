import { MeshError } from '@agentmesh/lib/rpc';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Strays } from './strays.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.spyOn(Math, 'random').mockReturnValue(1);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function fails(strays: Strays, error: Error): Promise<void> {
  return expect(strays.during(() => Promise.reject(error))).rejects.toThrow(error);
}

const lost = new MeshError('unavailable', 'connection_lost', 'Lost.');

test('a call whose outcome is not known is followed by several looks, a refusal by none', async () => {
  const strays = new Strays();
  strays.told(100, false);
  await fails(strays, new MeshError('not_found', 'session_not_found', 'Session not found'));
  expect(strays.begunBefore()).toBe(0);
  await fails(strays, lost);
  for (let look = 0; look < 5; look += 1) {
    expect(strays.begunBefore()).toBe(100);
    strays.told(100, true);
  }
  expect(strays.begunBefore()).toBe(0);
});

test('there is a look a minute without a cause, and none before the clock of the database is known', () => {
  const strays = new Strays();
  vi.advanceTimersByTime(60_000);
  expect(strays.begunBefore()).toBe(0);
  strays.told(100, false);
  expect(strays.begunBefore()).toBe(100);
  strays.told(103, true);
  expect(strays.begunBefore()).toBe(0);
});

test('no look takes a run whose answer is under way', async () => {
  const strays = new Strays();
  strays.suspect();
  const { promise, resolve } = Promise.withResolvers<void>();
  const early = strays.during(() => promise);
  vi.advanceTimersByTime(4_000);
  strays.told(100, false);
  const late = strays.during(() => promise);
  vi.advanceTimersByTime(1_000);
  expect(strays.begunBefore()).toBe(96);
  resolve();
  await Promise.all([early, late]);
  expect(strays.begunBefore()).toBe(100);
});
