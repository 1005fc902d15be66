import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstTick, readTicks } from './ticks.ts';

const ticksAfter = (cron: string, timezone: string, from: string, number: number) =>
  readTicks(cron, timezone)
    .following(new Date(from), number)
    .map((time) => time.toISOString().slice(0, 16));

describe('ticks', () => {
  test('keep their local time when the clocks change', () => {
    expect(ticksAfter('0 9 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', 2)).toEqual([
      '2026-03-28T08:00',
      '2026-03-29T07:00',
    ]);
    expect(ticksAfter('0 9 * * *', 'America/New_York', '2026-10-31T04:00:00Z', 2)).toEqual([
      '2026-10-31T13:00',
      '2026-11-01T14:00',
    ]);
  });

  test('at a time that the change to summer time skips come when the skipped hour is over', () => {
    expect(ticksAfter('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
  });

  test('at a time that comes twice come once', () => {
    expect(ticksAfter('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
  });

  test('of every half hour come at each real half hour, also in the hours of the changes', () => {
    for (const from of ['2026-03-29T00:00:00Z', '2026-10-24T23:00:00Z']) {
      const times = readTicks('*/30 * * * *', 'Europe/Berlin').following(new Date(from), 8);
      const pauses = times.slice(1).map((time, index) => time.getTime() - (times[index]?.getTime() ?? 0));
      expect(new Set(pauses)).toEqual(new Set([1_800_000]));
    }
  });

  test('of six fields name seconds', () => {
    expect(
      readTicks('*/20 0 0 * * *', 'UTC')
        .following(new Date('2026-01-01T12:00:00Z'), 3)
        .map((time) => time.toISOString()),
    ).toEqual(['2026-01-02T00:00:00.000Z', '2026-01-02T00:00:20.000Z', '2026-01-02T00:00:40.000Z']);
  });

  test('come later than the time that is asked for, and in order', () => {
    const minute = fc.integer({ min: 0, max: 59 });
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia');
    const from = fc.date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(minute, fc.integer({ min: 0, max: 23 }), zone, from, (at, hour, timezone, time) => {
        const times = [time, ...readTicks(`${at} ${hour} * * *`, timezone).following(time, 3)];
        for (const [index, later] of times.slice(1).entries()) {
          expect(later.getTime()).toBeGreaterThan(times[index]?.getTime() ?? Number.POSITIVE_INFINITY);
        }
      }),
      { numRuns: 100 },
    );
  });
});

test.each([
  '',
  '* * * *',
  '* * * * * * *',
  '60 * * * *',
  'every day',
  '@daily',
  '2026-01-01T00:00:00',
  `${'1,'.repeat(120)}1 * * * *`,
])('%j is no cron expression', (cron) => {
  expect(() => readTicks(cron, 'UTC')).toThrow(expect.objectContaining({ reason: 'schedule_cron_invalid' }));
});

test.each([
  ['0 9 * * MON-FRY', 'the day of the week "MON-FRY" is wrong'],
  ['0 25 * * *', 'the hour "25" is wrong'],
  ['61 * * * *', 'the minute "61" is wrong'],
  ['70 0 9 * * *', 'the second "70" is wrong'],
  ['0 9 32 13 *', 'the day of the month "32" is wrong'],
  ['0 9 * FOO *', 'the month "FOO" is wrong'],
])('of %j the part that is wrong is named', (cron, part) => {
  expect(() => readTicks(cron, 'UTC')).toThrow(
    expect.objectContaining({
      reason: 'schedule_cron_invalid',
      message: `Not a cron expression: ${part}.`,
    }),
  );
});

test('an expression of a day that no year has is refused', () => {
  const ticks = readTicks('0 0 30 2 *', 'UTC');
  expect(() => firstTick(ticks, new Date('2026-01-01'))).toThrow(
    expect.objectContaining({ reason: 'schedule_cron_invalid' }),
  );
});

test.each(['', 'Nowhere/City', '+02:00', 'Europe/Berlin\0', 'x'.repeat(65)])('%j is no time zone', (timezone) => {
  expect(() => readTicks('* * * * *', timezone)).toThrow(
    expect.objectContaining({ reason: 'schedule_timezone_invalid' }),
  );
});
