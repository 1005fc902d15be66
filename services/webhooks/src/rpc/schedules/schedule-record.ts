import type { ScheduleSchema } from '@agentmesh/proto/webhooks/v1/schedules';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { readTicks } from '../../schedules/ticks.ts';
import type { ScheduleRow } from '../../store/schedules.ts';

const shownTicks = 3;

/** Converts a row of `schedules` to the message that RPCs return. */
export function scheduleRecord(row: ScheduleRow, now: Date): MessageInitShape<typeof ScheduleSchema> {
  return {
    id: row.id,
    cron: row.cron,
    timezone: row.timezone,
    appName: row.app_name,
    userId: row.user_id,
    sessionId: row.session_id ?? '',
    messageJson: Buffer.from(row.message),
    multitask: row.multitask,
    catchUp: row.catch_up,
    enabled: row.enabled,
    nextTimes: row.enabled ? readTicks(row.cron, row.timezone).following(now, shownTicks).map(secondsOf) : [],
    ...(row.last_at !== null && {
      lastRun: {
        time: secondsOf(row.last_at),
        invocationId: row.last_invocation_id ?? '',
        appName: row.last_app_name ?? '',
        userId: row.last_user_id ?? '',
        sessionId: row.last_session_id ?? '',
        error: row.last_error ?? '',
      },
    }),
    missedTicks: row.missed_ticks,
    lastMissedTime: row.last_missed_at === null ? 0 : secondsOf(row.last_missed_at),
    createTime: secondsOf(row.created_at),
    updateTime: secondsOf(row.updated_at),
  };
}

function secondsOf(time: Date): number {
  return time.getTime() / 1000;
}
