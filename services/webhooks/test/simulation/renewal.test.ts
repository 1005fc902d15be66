import { expect, test } from 'vitest';
import { simulateRenewal } from './simulate-renewal.ts';

/** `npm run verify` sets it. */
const isFull = process.env.VERIFY === 'full';
const seed = Number(process.env.VERIFY_SEED ?? 1);
const plan = isFull
  ? { seed, subscriptions: 1_000, days: 90, stepMinutes: 10 }
  : { seed, subscriptions: 12, days: 30, stepMinutes: 30 };

test(`${plan.subscriptions} subscriptions survive ${plan.days} days with failing calls, outages, forgotten registrations and expired consents`, {
  timeout: isFull ? 3_600_000 : 180_000,
}, async () => {
  const { happened, ...outcome } = await simulateRenewal(plan);
  process.stderr.write(`renewal simulation: ${JSON.stringify({ ...plan, ...happened })}\n`);
  expect(outcome).toEqual({ silent: [], wronglyActive: [], dead: [], uncovered: [], orphans: 0 });
  expect(happened.gaps).toBeGreaterThan(0);
  expect(happened.forgotten).toBeGreaterThan(0);
});
