import { scheduleNotFound } from '../../errors.ts';
import type { Schedules } from '../../schedules/schedules.ts';
import { deleteScheduleRow } from '../../store/schedules.ts';
import type { ScheduleHandlers } from './handlers.ts';
import { checkScheduleKey } from './schedule-key.ts';

/** Deletes a schedule. */
export function deleteSchedule({ db }: Schedules): ScheduleHandlers['deleteSchedule'] {
  return async (request, call) => {
    const [row] = await deleteScheduleRow(db.within(call), checkScheduleKey(request));
    if (row === undefined) throw scheduleNotFound();
    return {};
  };
}
