import type { Context } from '../context.ts';
import type { AccessToken } from '../provider/mail-accounts.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { moveSubscriptions } from '../../store/subscriptions.ts';
import { endWatch, planAttempt } from '../../store/watches/watch-plans.ts';
import { lockWatches, moveWatch, selectMailboxWatch, type WatchRow } from '../../store/watches/watches.ts';
import type { Held } from './held.ts';

/**
 * Throws ProviderError `other_mailbox` when a token is for another mailbox than a watch. A subscription never moves to another mailbox by
 * itself. The same mailbox may have been connected again; the same mail account may have got another address.
 */
export function checkMailbox(
  { mailbox, integration_id: integrationId }: Pick<WatchRow, 'mailbox' | 'integration_id'>,
  token: AccessToken,
): void {
  if (token.mailbox !== mailbox && token.integrationId !== integrationId)
    throw new ProviderError({ kind: 'other_mailbox' });
}

/**
 * Lets a watch follow its mail account, which its owner may have connected again, or which may have another address now. Answers the watch; or
 * undefined when the mailbox has a watch already that serves it, which then gets the subscriptions, or when the claim was lost. Throws ProviderError `other_mailbox`.
 */
export async function followMailbox(
  { db, clock }: Context,
  watch: Held,
  token: AccessToken,
): Promise<Held | undefined> {
  checkMailbox(watch, token);
  const { mailbox, integrationId } = token;
  if (mailbox === watch.mailbox && integrationId === watch.integration_id) return watch;
  const { account_id: accountId, id } = watch;
  const now = clock.now();
  return db.transaction(async (tx) => {
    const [other] = watch.serves_mailbox
      ? await selectMailboxWatch(tx, { accountId, provider: watch.provider, mailbox })
      : [];
    if (other === undefined || other.id === id) {
      const isMoved = await moveWatch(tx, { accountId, id, claim: watch.claim, mailbox, integrationId });
      return isMoved ? { ...watch, mailbox, integration_id: integrationId } : undefined;
    }
    await moveSubscriptions(tx, { accountId, from: id, to: other.id, now });
    await lockWatches(tx, { accountId, ids: [id, other.id] });
    await planAttempt(tx, { accountId, id: other.id, now });
    await endWatch(tx, { accountId, id, now });
    return undefined;
  });
}
