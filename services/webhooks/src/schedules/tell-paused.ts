import { defineTask, type Handler } from '@agentmesh/lib/jobs';
import { selectSchedule } from '../store/schedules.ts';
import { callMs } from './tick-run.ts';
import type { Schedules } from './schedules.ts';

/** A schedule that has paused because its runs were refused. */
export interface Paused {
  readonly accountId: string;
  readonly id: string;
}

/** Added in the transaction that pauses the schedule. Retried until runs has stored the notice, or the schedule is resumed or deleted, or the account is erased. */
export const tellPaused = defineTask<Paused>({
  name: 'tell-paused',
  read: (payload) => {
    const { accountId, id } = payload as Partial<Paused>;
    if (accountId === undefined || id === undefined) throw new TypeError('not a schedule');
    return { accountId, id };
  },
  retrySeconds: [5, 30, 120, 600, 1_800, 3_600],
  timeoutSeconds: 30,
  atOnce: 2,
  pollSeconds: 8,
});

/** Makes one notice for the owner of a schedule that is still paused, however often it is attempted. */
export function pauseTeller({ db, notices }: Pick<Schedules, 'db' | 'notices'>): Handler<Paused> {
  return async ({ accountId, id }, { signal }) => {
    const [row] = await selectSchedule(db, { accountId, id });
    if (row === undefined || row.enabled || row.last_error === null) return;
    const notice = {
      accountId,
      key: `schedule_paused ${id} ${row.last_at?.toISOString()}`,
      type: 'schedule_paused',
      title: `A schedule of ${row.app_name.slice(0, 320)} is paused`,
      body: `Its last runs were refused: ${row.last_error} Resume it when that is mended: POST /api/schedules/${id}/resume`,
    };
    await notices.addNotice(notice, { timeoutMs: callMs, signal });
  };
}
