import { MeshError } from '@agentmesh/lib/rpc';
import { parseExactly } from '@agentmesh/proto/exact-json';
import type { Schedule as ScheduleMessage } from '@agentmesh/proto/webhooks/v1/schedules';
import { nameOfMultitask } from '@agentmesh/proto/multitask';
import type { Schedule } from './schedule-record.ts';

/** Public form of a schedule. */
export function scheduleJson(schedule: ScheduleMessage | undefined): Schedule {
  if (schedule === undefined) throw new MeshError('internal', 'schedule_missing', 'The schedule could not be read.');
  const { lastRun, lastMissedTime, sessionId } = schedule;
  return {
    id: schedule.id,
    cron: schedule.cron,
    timezone: schedule.timezone,
    appName: schedule.appName,
    userId: schedule.userId,
    sessionId: sessionId === '' ? null : sessionId,
    newMessage: parseExactly(Buffer.from(schedule.messageJson).toString()) as Schedule['newMessage'],
    multitask: nameOfMultitask(schedule.multitask),
    catch_up: schedule.catchUp,
    enabled: schedule.enabled,
    next_times: schedule.nextTimes.map(timeOf),
    last_run: lastRun === undefined ? null : lastRunJson(lastRun),
    missed_ticks: Number(schedule.missedTicks),
    last_missed_at: lastMissedTime === 0 ? null : timeOf(lastMissedTime),
    created_at: timeOf(schedule.createTime),
    updated_at: timeOf(schedule.updateTime),
  };
}

function lastRunJson({ time, invocationId, sessionId, error }: NonNullable<ScheduleMessage['lastRun']>) {
  return {
    scheduled_at: timeOf(time),
    invocation_id: invocationId === '' ? null : invocationId,
    session_id: sessionId,
    error: error === '' ? null : error,
  };
}

function timeOf(seconds: number): string {
  return new Date(Math.round(seconds * 1000)).toISOString();
}
