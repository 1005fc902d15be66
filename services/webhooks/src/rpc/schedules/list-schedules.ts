import { setImmediate } from 'node:timers/promises';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { ScheduleSchema } from '@agentmesh/proto/webhooks/v1/schedules';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Schedules } from '../../schedules/schedules.ts';
import { selectSchedules } from '../../store/schedules.ts';
import type { ScheduleHandlers } from './handlers.ts';
import { scheduleRecord } from './schedule-record.ts';

/** Returns all schedules of an account. */
export function listSchedules({ db, clock }: Schedules): ScheduleHandlers['listSchedules'] {
  return async ({ accountId }) => {
    const rows = await selectSchedules(db, { accountId: checkAccountId(accountId) });
    const schedules: MessageInitShape<typeof ScheduleSchema>[] = [];
    for (const row of rows) {
      schedules.push(scheduleRecord(row, clock.now()));
      // The next ticks of one schedule cost about a millisecond. Others have their turn.
      await setImmediate();
    }
    return { schedules };
  };
}
