import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type LookUp, watchAddresses } from './watch-addresses.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Watches an address while its name leads to `answers`, one after the other, and answers how often a change was noticed. */
async function changesOf(url: string, answers: readonly (readonly string[] | undefined)[]): Promise<number> {
  let changes = 0;
  const left = [...answers];
  const lookUp: LookUp = async () => {
    const found = left.shift();
    if (found === undefined) throw new Error('not found');
    return found.map((address) => ({ address }));
  };
  using _ = watchAddresses(url, () => (changes += 1), lookUp);
  for (const _answer of answers) await vi.advanceTimersByTimeAsync(2_000);
  return changes;
}

test.each(['dns:///sessions:9102', 'http://sessions:9102', 'https://sessions:9102/', 'sessions:9102'])(
  'a new replica behind %s is noticed at the next look',
  async (url) => {
    expect(await changesOf(url, [['10.0.0.1'], ['10.0.0.1', '10.0.0.2'], ['10.0.0.2', '10.0.0.1']])).toBe(1);
  },
);

test('a name server that does not know the name for a while is no change', async () => {
  expect(await changesOf('http://sessions:9102', [['10.0.0.1'], undefined, ['10.0.0.1']])).toBe(0);
});

test.each(['http://127.0.0.1:9102', 'http://[::1]:9102', 'ipv4:127.0.0.1:1,127.0.0.1:2'])(
  '%s is never looked up',
  async (url) => {
    expect(await changesOf(url, [['10.0.0.1'], ['10.0.0.2'], ['10.0.0.3']])).toBe(0);
  },
);
