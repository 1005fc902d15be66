import type { Context } from '../context.ts';
import type { AccessToken } from '../provider/mail-accounts.ts';
import { moveSubscriptions } from '../store/subscriptions.ts';
import { endWatch, planAttempt } from '../store/watches/watch-plans.ts';
import { moveWatch, selectMailboxWatch } from '../store/watches/watches.ts';
import type { Held } from './held.ts';

/**
 * Lets a watch follow the mail account that is connected now: its owner may have connected it again, or another one. Answers the watch; or
 * undefined when the mailbox at Gmail has a watch already, which then gets the subscriptions.
 */
export async function followMailbox(
  { db, clock }: Context,
  watch: Held,
  token: AccessToken,
): Promise<Held | undefined> {
  const { mailbox, integrationId } = token;
  if (mailbox === watch.mailbox && integrationId === watch.integration_id) return watch;
  const { account_id: accountId, id } = watch;
  const now = clock.now();
  return db.transaction(async (tx) => {
    const [other] = watch.provider === 'google' ? await selectMailboxWatch(tx, { accountId, mailbox }) : [];
    if (other === undefined || other.id === id) {
      await moveWatch(tx, { accountId, id, mailbox, integrationId });
      return { ...watch, mailbox, integration_id: integrationId };
    }
    await moveSubscriptions(tx, { accountId, from: id, to: other.id, now });
    await planAttempt(tx, { accountId, id: other.id, now });
    await endWatch(tx, { accountId, id, now });
    return undefined;
  });
}
