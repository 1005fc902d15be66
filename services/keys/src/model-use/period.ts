import type { PeriodWord } from '../store/limits.ts';

/** The day and the first day of the month of a time in UTC, `YYYY-MM-DD`. */
export function startsOf(time: Date): Readonly<Record<PeriodWord, string>> {
  const day = time.toISOString().slice(0, 10);
  return { day, month: `${day.slice(0, 7)}-01` };
}

/** Returns the end of the period that contains a time. */
export function endOf(period: PeriodWord, time: Date): Date {
  const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()];
  return new Date(period === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1));
}
