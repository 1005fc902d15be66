import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bucket } from './bucket.ts';
import { createMemoryStore } from './memory-store.ts';
import { networkOf } from './sign-in-limits.ts';
import { createThrottle } from './throttle.ts';

const hour = 3_600_000;

describe('a throttle', () => {
  const bucket: Bucket = { key: 'a', burst: 3, perHour: 60 };

  test('allows a burst, then the hourly rate, and returns the time of the next allowed one', async () => {
    let now = 0;
    const throttle = createThrottle(createMemoryStore(() => now));
    const verdicts = [];
    for (let attempt = 0; attempt < 4; attempt += 1) verdicts.push(await throttle.take([bucket]));
    expect(verdicts).toEqual([
      { isAllowed: true, limit: 3, remaining: 2, resetSeconds: 60, retryAfterSeconds: 0 },
      { isAllowed: true, limit: 3, remaining: 1, resetSeconds: 120, retryAfterSeconds: 0 },
      { isAllowed: true, limit: 3, remaining: 0, resetSeconds: 180, retryAfterSeconds: 60 },
      { isAllowed: false, limit: 3, remaining: 0, resetSeconds: 180, retryAfterSeconds: 60 },
    ]);
    now = 59_000;
    expect(await throttle.take([bucket])).toMatchObject({ isAllowed: false, retryAfterSeconds: 1 });
    now = 60_000;
    expect((await throttle.take([bucket])).isAllowed).toBe(true);
  });

  test('takes from none when one is empty, and answers for that one', async () => {
    const throttle = createThrottle(createMemoryStore(() => 0));
    const other = { key: 'b', burst: 1, perHour: 1 };
    expect(await throttle.take([bucket, other])).toMatchObject({ isAllowed: true, limit: 1, remaining: 0 });
    expect(await throttle.take([bucket, other])).toMatchObject({ isAllowed: false, limit: 1 });
    expect(await throttle.take([bucket])).toMatchObject({ isAllowed: true, remaining: 1 });
  });

  test('never lets more through than burst and time allow, and never refuses a caller that waited the given time', async () => {
    const steps = fc.array(fc.record({ wait: fc.nat(hour), give: fc.boolean() }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 200 }),
        steps,
        async (burst, perHour, all) => {
          let now = 0;
          let kept = 0;
          const throttle = createThrottle(createMemoryStore(() => now));
          const own = [{ key: 'x', burst, perHour }];
          const interval = Math.round(hour / perHour);
          for (const { wait, give } of all) {
            now += wait;
            const verdict = await throttle.take(own);
            if (!verdict.isAllowed) {
              now += verdict.retryAfterSeconds * 1000;
              expect((await throttle.take(own)).isAllowed).toBe(true);
            }
            if (give) await throttle.giveBack(own);
            else kept += 1;
            expect(kept).toBeLessThanOrEqual(burst + now / interval);
          }
        },
      ),
    );
  });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:db8:1:2::9', '2001:db8:1:2::'],
  ['no address', 'unknown'],
])('%s counts as %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});
