import { scheduleNotFound } from '../../errors.ts';
import type { Schedules } from '../../schedules/schedules.ts';
import { selectSchedule } from '../../store/schedules.ts';
import type { ScheduleHandlers } from './handlers.ts';
import { checkScheduleKey } from './schedule-key.ts';
import { scheduleRecord } from './schedule-record.ts';

/** Returns one schedule. */
export function getSchedule({ db, clock }: Schedules): ScheduleHandlers['getSchedule'] {
  return async (request) => {
    const [row] = await selectSchedule(db, checkScheduleKey(request));
    if (row === undefined) throw scheduleNotFound();
    return { schedule: scheduleRecord(row, clock.now()) };
  };
}
