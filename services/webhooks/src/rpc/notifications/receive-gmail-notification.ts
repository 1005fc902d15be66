import type { Context } from '../../mail/context.ts';
import { pushRefused } from '../../errors.ts';
import { readGmailPush } from '../../mail/google/gmail-push.ts';
import { addReadings, readMailboxTask } from '../../mail/read-mailbox-task.ts';
import { planGmailLook, selectGmailMailboxes } from '../../store/notified.ts';
import type { NotificationHandlers } from './handlers.ts';

/** Plans a look at the mailbox that a push names, in one transaction with the job that does it. */
export function receiveGmailNotification(context: Context): NotificationHandlers['receiveGmailNotification'] {
  const { config, db, jobs, clock, checkPushToken, countNotifications } = context;
  return async ({ authorization, body }) => {
    const now = clock.now();
    await checkPushToken(authorization, now);
    const push = readGmailPush(body);
    const expected = config.GMAIL_PUBSUB_SUBSCRIPTION;
    if (expected !== undefined && push !== undefined && push.subscription !== expected) throw pushRefused();
    const planned = push === undefined ? 0 : await plan(push.mailbox, push.historyId);
    if (planned > 0) jobs.wake(readMailboxTask);
    countNotifications('google', planned > 0 ? 'stored' : 'ignored', 1);
    return {};
  };

  async function plan(mailbox: string, historyId: string): Promise<number> {
    const now = clock.now();
    const mailboxes = await selectGmailMailboxes(db, { mailbox, historyId });
    if (mailboxes.length === 0) return 0;
    await db.transaction(async (tx) => {
      // The mailbox is locked before its watch, in the order of its reader.
      await addReadings(tx, { jobs, mailboxes, now });
      await planGmailLook(tx, mailboxes, { historyId, now });
    });
    return mailboxes.length;
  }
}
