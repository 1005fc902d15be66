import { defineTask, type Handler } from '@agentmesh/lib/jobs';
import { callMs } from './tick-run.ts';
import type { Schedules } from './schedules.ts';

/** A schedule that has paused because its runs were refused. */
export interface Paused {
  readonly accountId: string;
  readonly id: string;
  /** The last tick, as ISO 8601. */
  readonly tick: string;
  readonly appName: string;
  /** Sentences for the owner. */
  readonly reason: string;
}

/** Added in the transaction that pauses the schedule, so that the owner is told exactly of those that have paused. Retried until runs has stored the notice, or the account is erased. */
export const tellPaused = defineTask<Paused>({
  name: 'tell-paused',
  read: (payload) => {
    const { accountId, id, tick, appName = '', reason = '' } = payload as Partial<Paused>;
    if (accountId === undefined || id === undefined || tick === undefined) throw new TypeError('not a schedule');
    return { accountId, id, tick, appName, reason };
  },
  retrySeconds: [5, 30, 120, 600],
  timeoutSeconds: 30,
  atOnce: 2,
  pollSeconds: 8,
});

/** Makes one notice for the owner, however often it is attempted. */
export function pauseTeller({ notices }: Pick<Schedules, 'notices'>): Handler<Paused> {
  return async ({ accountId, id, tick, appName, reason }, { signal }) => {
    const notice = {
      accountId,
      key: `schedule_paused ${id} ${tick}`,
      type: 'schedule_paused',
      title: `A schedule of ${appName.slice(0, 320)} is paused`,
      body: `${reason} Resume it when that is mended: POST /api/schedules/${id}/resume`,
    };
    await notices.addNotice(notice, { timeoutMs: callMs, signal });
  };
}
