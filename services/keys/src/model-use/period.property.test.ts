import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endOf } from './period.ts';

const times = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });

/** The day and the first day of the month of a time in UTC. */
function startsOf(time: Date) {
  const day = time.toISOString().slice(0, 10);
  return { day, month: `${day.slice(0, 7)}-01` };
}

test('a period ends after every time in it, where the next one starts', () => {
  fc.assert(
    fc.property(times, fc.constantFrom('day' as const, 'month' as const), (time, period) => {
      const end = endOf(period, startsOf(time)[period]);
      expect(end > time).toBe(true);
      expect(end.toISOString()).toBe(`${startsOf(end)[period]}T00:00:00.000Z`);
      expect(startsOf(new Date(end.getTime() - 1))[period]).toBe(startsOf(time)[period]);
    }),
  );
});

test('a year ends', () => {
  expect(startsOf(new Date('2026-12-31T23:59:59Z'))).toEqual({ day: '2026-12-31', month: '2026-12-01' });
  expect(endOf('month', '2026-12-01').toISOString()).toBe('2027-01-01T00:00:00.000Z');
});
