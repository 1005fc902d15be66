import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAccountLimit } from './account-limit.ts';

const settings = { RATE_LIMIT_ENABLED: true, RATE_LIMIT_ACCOUNT_PER_MINUTE: 3 };

test('an account may send its requests of a minute at once, then one each time one comes back; others are not affected', () => {
  let now = 0;
  const limit = createAccountLimit(settings, () => now);
  expect([1, 2, 3, 4].map(() => limit.take('a'))).toEqual([0, 0, 0, 20]);
  expect(limit.take('b')).toBe(0);
  now = 20_000;
  expect([limit.take('a'), limit.take('a')]).toEqual([0, 20]);
});

test('a caller who waits as long as told is allowed, and no minute has more than twice the requests', () => {
  const waits = fc.array(fc.nat(30_000), { maxLength: 80 });
  fc.assert(
    fc.property(waits, (all) => {
      let now = 0;
      const limit = createAccountLimit(settings, () => now);
      const allowed: number[] = [];
      for (const wait of all) {
        now += wait;
        const seconds = limit.take('a');
        now += seconds * 1_000;
        if (seconds > 0) expect(limit.take('a')).toBe(0);
        allowed.push(now);
      }
      for (const from of allowed)
        expect(allowed.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(6);
    }),
  );
});

test('requests are not counted while limits are off', () => {
  const limit = createAccountLimit({ ...settings, RATE_LIMIT_ENABLED: false });
  expect(Array.from({ length: 9 }, () => limit.take('a'))).toEqual(Array.from({ length: 9 }, () => 0));
});
