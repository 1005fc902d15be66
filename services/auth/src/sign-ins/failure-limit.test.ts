import { expect, test } from 'vitest';
import { createFailureLimit } from './failure-limit.ts';

let time = 0;
const hour = 3_600_000;
const recordedOf = (limit: ReturnType<typeof createFailureLimit>, address: string, tries: number) =>
  Array.from({ length: tries }, () => limit.admit(address)).filter((unrecorded) => unrecorded !== undefined).length;

test('twenty failures of an address are recorded in an hour, and the next one tells how many were not', () => {
  const limit = createFailureLimit(() => time);
  expect(recordedOf(limit, 'ada@example.com', 50)).toBe(20);
  expect(limit.admit('bob@example.com')).toBe(0);
  time += hour;
  expect(limit.admit('ada@example.com')).toBe(30);
  expect(limit.admit('ada@example.com')).toBe(0);
});

test('failures of any number of addresses add 2,000 records in an hour, and the memory of them is bounded', () => {
  const limit = createFailureLimit(() => time);
  let recorded = 0;
  for (let index = 0; index < 30_000; index += 1) recorded += recordedOf(limit, `${index}@example.com`, 1);
  expect(recorded).toBe(2_000);
  time += hour;
  expect([limit.admit('29999@example.com'), limit.admit('1@example.com')]).toEqual([1, 0]);
});
