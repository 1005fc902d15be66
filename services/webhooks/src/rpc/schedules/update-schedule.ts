import type { UpdateScheduleRequest } from '@agentmesh/proto/webhooks/v1/schedules';
import { scheduleNotFound } from '../../errors.ts';
import type { Schedules } from '../../schedules/schedules.ts';
import { checkPace } from '../../schedules/ticks.ts';
import { lockSchedule, type ScheduleRow, updateSchedule as updateRow } from '../../store/schedules.ts';
import type { ScheduleHandlers } from './handlers.ts';
import { checkScheduleKey } from './schedule-key.ts';
import { scheduleRecord } from './schedule-record.ts';
import { checkMessage, checkSession, type ScheduleFields, scheduleValues } from './schedule-values.ts';

/** Changes fields of a schedule. */
export function updateSchedule({ db, clock, minSeconds }: Schedules): ScheduleHandlers['updateSchedule'] {
  return async (request) => {
    const key = checkScheduleKey(request);
    const now = clock.now();
    const changed = await db.transaction(async (tx) => {
      const [row] = await lockSchedule(tx, key);
      if (row === undefined) throw scheduleNotFound();
      const fields = changedFields(row, request);
      const values = scheduleValues(fields, now);
      if (request.messageJson !== undefined) checkMessage(fields.message);
      if (request.sessionId !== undefined) checkSession(request.sessionId);
      if (row.cron !== fields.cron || row.timezone !== fields.timezone) checkPace(fields, now, minSeconds);
      // Ticks that are due stay due, unless the times are others now.
      const nextAt = hasSameTimes(row, fields) ? row.next_at : values.nextAt;
      const [updated] = await updateRow(tx, { ...values, ...key, nextAt });
      return updated ?? row;
    });
    return { schedule: scheduleRecord(changed, now) };
  };
}

function changedFields(row: ScheduleRow, request: UpdateScheduleRequest): ScheduleFields {
  const { messageJson } = request;
  return {
    cron: request.cron ?? row.cron,
    timezone: request.timezone ?? row.timezone,
    appName: request.appName ?? row.app_name,
    userId: request.userId ?? row.user_id,
    sessionId: request.sessionId ?? row.session_id ?? '',
    message: messageJson === undefined ? row.message : Buffer.from(messageJson).toString(),
    multitask: request.multitask ?? row.multitask,
    catchUp: request.catchUp ?? row.catch_up,
    enabled: request.enabled ?? row.enabled,
  };
}

function hasSameTimes(row: ScheduleRow, { cron, timezone, enabled }: ScheduleFields): boolean {
  return row.cron === cron && row.timezone === timezone && row.enabled === enabled;
}
