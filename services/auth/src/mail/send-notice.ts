import { randomUUID } from 'node:crypto';
import { defineTask, type Jobs } from '@agentmesh/lib/jobs';
import type { Transaction } from '@agentmesh/lib/pg';
import { lockAccount } from '../store/accounts.ts';
import { insertNotice, type NoticeLimit, type NoticeWord, noticeWords } from '../store/notices.ts';

/** A notice that waits to be sent, to an account, or to the address of a deleted one. The id of the job is the id of the mail. */
export type WaitingNotice =
  | { readonly kind: NoticeWord; readonly accountId: string }
  | { readonly kind: 'account_deleted'; readonly address: string };

export const sendNotice = defineTask<WaitingNotice>({
  name: 'send-notice',
  read: (payload) => {
    const { kind, accountId, address } = payload as { kind?: NoticeWord; accountId?: unknown; address?: unknown };
    if (kind === undefined || !noticeWords.includes(kind)) throw new TypeError('not a notice');
    if (typeof accountId === 'string') return { kind, accountId };
    if (kind !== 'account_deleted' || typeof address !== 'string') throw new TypeError('not a notice');
    return { kind, address };
  },
  retrySeconds: [5, 30, 120, 600, 1_800, 3_600, 7_200],
  mostAttempts: 8,
  timeoutSeconds: 120,
  atOnce: 4,
  pollSeconds: 8,
  personal: true,
});

const limits: Readonly<Record<NoticeWord, NoticeLimit>> = {
  // An outage of a provider affects all subscriptions of an account.
  subscription_failing: { most: 1, hours: 6 },
  token_created: { most: 5, hours: 1, proven: true },
  // Programs create one for each of their end users.
  user_token_created: { most: 1, hours: 24, proven: true },
  account_deleted: { most: 1, hours: 1, proven: true },
};

/** Queues a notice to an account, unless it has had too many of this kind lately. Those about tokens go to proven addresses only. */
export async function enqueueNotice(
  tx: Transaction,
  jobs: Jobs,
  { accountId, kind }: { readonly accountId: string; readonly kind: NoticeWord },
): Promise<void> {
  const mailId = randomUUID();
  // Concurrent requests wait here, so that the count is exact.
  await lockAccount(tx, accountId);
  const stored = await insertNotice(tx, { accountId, mailId, kind, proven: false, ...limits[kind] });
  if (stored.length > 0) await jobs.add(tx, sendNotice, [{ id: mailId, payload: { accountId, kind } }]);
}
