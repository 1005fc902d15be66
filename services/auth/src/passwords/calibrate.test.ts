import { expect, test } from 'vitest';
import type { Argon2idCost } from './argon2id.ts';
import { calibrate, leastCost } from './calibrate.ts';

/** A machine that hashes this many KiB in a millisecond. */
const machine = (kibPerMs: number) => ({
  measure: async ({ memoryKib, passes }: Argon2idCost) => (memoryKib * passes) / kibPerMs,
});

test.each([
  [
    { kibPerMs: 4_864, maxMemoryKib: 65_536, targetMs: 100 },
    { memoryKib: 38_912, passes: 12 },
  ],
  [
    { kibPerMs: 4_864, maxMemoryKib: 1_000_000, targetMs: 20 },
    { memoryKib: 38_912, passes: 2 },
  ],
  [{ kibPerMs: 100, maxMemoryKib: 65_536, targetMs: 50 }, leastCost],
])('chooses as much memory as may be had, then passes, and never less than the least: %j', async (given, cost) => {
  const { kibPerMs, ...options } = given;
  expect((await calibrate({ ...machine(kibPerMs), ...options })).cost).toMatchObject(cost);
});
