import { defineTask } from '@agentmesh/lib/jobs';
import type { NoticeWord } from './compose-notice.ts';

/** A notice that waits to be sent. The id of the job is the id of the mail. */
export interface WaitingNotice {
  readonly accountId: string;
  readonly kind: NoticeWord;
}

export const sendNotice = defineTask<WaitingNotice>({
  name: 'send-notice',
  read: (payload) => {
    const { accountId, kind } = payload as Partial<WaitingNotice>;
    if (typeof accountId !== 'string' || kind !== 'subscription_failing') throw new TypeError('not a notice');
    return { accountId, kind };
  },
  retrySeconds: [5, 30, 120, 600, 1_800, 3_600, 7_200],
  mostAttempts: 8,
  timeoutSeconds: 120,
  atOnce: 4,
  pollSeconds: 5,
  personal: true,
});
