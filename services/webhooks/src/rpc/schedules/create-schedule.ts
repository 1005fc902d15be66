import { randomUUID } from 'node:crypto';
import { lockKey } from '@agentmesh/lib/pg';
import { checkAccountId } from '@agentmesh/lib/rpc';
import { scheduleLimit } from '../../errors.ts';
import type { Schedules } from '../../schedules/schedules.ts';
import { checkPace } from '../../schedules/ticks.ts';
import { insertSchedule } from '../../store/schedules.ts';
import type { ScheduleHandlers } from './handlers.ts';
import { scheduleRecord } from './schedule-record.ts';
import { checkMessage, checkSession, scheduleValues } from './schedule-values.ts';

const most = 100;

/** Stores a schedule. */
export function createSchedule({ db, clock, minSeconds }: Schedules): ScheduleHandlers['createSchedule'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    const now = clock.now();
    const { cron, timezone, appName, userId, sessionId, messageJson, multitask, catchUp, enabled } = request;
    const message = Buffer.from(messageJson).toString();
    const fields = { cron, timezone, appName, userId, sessionId, message, multitask, catchUp, enabled };
    const values = scheduleValues(fields, now);
    checkMessage(message);
    checkSession(sessionId);
    checkPace(fields, now, minSeconds);
    const row = await db.transaction(async (tx) => {
      // The count below sees what calls at the same time have stored.
      await lockKey(tx, 'schedules', accountId);
      const [stored] = await insertSchedule(tx, { ...values, accountId, id: randomUUID(), most });
      return stored;
    });
    if (row === undefined) throw scheduleLimit(most);
    return { schedule: scheduleRecord(row, now) };
  };
}
