import { pushRefused } from '../../errors.ts';
import { planMailboxLook, selectNotifiedMailboxes } from '../../store/notified.ts';
import type { Inbox, ProviderMethods } from '../provider/mail-provider.ts';
import { addReadings, readMailboxTask } from '../read-mailbox-task.ts';
import { type GmailPush, readGmailPush } from './gmail-push.ts';
import type { CheckPushToken } from './push-token.ts';

export interface PushOptions {
  /** Throws MeshError unless a push is authentic. */
  readonly checkPushToken: CheckPushToken;
  /** Full name of the Pub/Sub subscription whose pushes are taken; undefined: of any. */
  readonly subscription: string | undefined;
}

/** Plans a look at the mailbox that a push names. */
export function gmailNotified({ checkPushToken, subscription }: PushOptions): ProviderMethods['notified'] {
  return async (inbox, { authorization, body }) => {
    await checkPushToken(authorization, inbox.clock.now());
    const push = readGmailPush(body);
    if (subscription !== undefined && push !== undefined && push.subscription !== subscription) throw pushRefused();
    const planned = push === undefined ? 0 : await plan(inbox, push);
    if (planned > 0) inbox.jobs.wake(readMailboxTask);
    return planned > 0 ? { stored: 1, ignored: 0 } : { stored: 0, ignored: 1 };
  };
}

async function plan({ db, jobs, clock }: Inbox, { mailbox, historyId }: GmailPush): Promise<number> {
  const now = clock.now();
  const notified = { provider: 'google', mailbox, historyId };
  const mailboxes = await selectNotifiedMailboxes(db, notified);
  if (mailboxes.length === 0) return 0;
  await db.transaction(async (tx) => {
    // The mailbox is locked before its watch, in the order of its reader.
    await addReadings(tx, { jobs, mailboxes, now });
    await planMailboxLook(tx, mailboxes, { historyId, now });
  });
  return mailboxes.length;
}
