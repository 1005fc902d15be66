import { MeshError } from '@agentmesh/lib/rpc';
import { parseExactly } from '@agentmesh/proto/exact-json';
import type { Schedule as ScheduleMessage } from '@agentmesh/proto/webhooks/v1/schedules';
import { nameOfMultitask } from '@agentmesh/proto/multitask';
import type { Schedule } from './schedule-record.ts';

/** Public form of a schedule. */
export function scheduleJson(schedule: ScheduleMessage | undefined): Schedule {
  if (schedule === undefined) throw new MeshError('internal', 'schedule_missing', 'The schedule could not be read.');
  const { lastRun, lastMissedTime, appName, userId } = schedule;
  const sessionId = schedule.sessionId === '' ? null : schedule.sessionId;
  const message = parseExactly(Buffer.from(schedule.messageJson).toString()) as Schedule['new_message'];
  return {
    id: schedule.id,
    cron: schedule.cron,
    timezone: schedule.timezone,
    app_name: appName,
    user_id: userId,
    session_id: sessionId,
    new_message: message,
    multitask: nameOfMultitask(schedule.multitask),
    catch_up: schedule.catchUp,
    enabled: schedule.enabled,
    next_times: schedule.nextTimes.map(timeOf),
    last_run: lastRun === undefined ? null : lastRunJson(lastRun),
    missed_ticks: Number(schedule.missedTicks),
    last_missed_at: lastMissedTime === 0 ? null : timeOf(lastMissedTime),
    created_at: timeOf(schedule.createTime),
    updated_at: timeOf(schedule.updateTime),
    appName,
    userId,
    sessionId,
    newMessage: message,
  };
}

function lastRunJson(last: NonNullable<ScheduleMessage['lastRun']>) {
  const { time, invocationId, appName, userId, sessionId, error } = last;
  return {
    scheduled_at: timeOf(time),
    invocation_id: invocationId === '' ? null : invocationId,
    ...(appName !== '' && { app_name: appName, user_id: userId }),
    session_id: sessionId,
    error: error === '' ? null : error,
  };
}

function timeOf(seconds: number): string {
  return new Date(Math.round(seconds * 1000)).toISOString();
}
