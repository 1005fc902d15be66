import type { PeriodWord } from '../store/limits.ts';

/** Returns the end of the period that starts on a day, `YYYY-MM-DD`, in UTC. */
export function endOf(period: PeriodWord, startsOn: string): Date {
  const start = new Date(startsOn);
  const [year, month, day] = [start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate()];
  return new Date(period === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1));
}
