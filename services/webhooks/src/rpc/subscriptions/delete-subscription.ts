import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../mail/context.ts';
import { deleteSubscriptionRow } from '../../store/subscriptions.ts';
import { endWatch, planAttempt } from '../../store/watches/watch-plans.ts';
import { findSubscription } from '../../mail/subscriptions/find.ts';
import { attemptNow } from '../../mail/watches/attempt-now.ts';
import type { Handlers } from './handlers.ts';

/** Deletes a subscription, and ends its registration at the provider: at once, or in the background, as often as that takes. */
export function deleteSubscription(context: Context): Handlers['deleteSubscription'] {
  const { db, clock, wakeUpkeep } = context;
  return async ({ accountId: text, id }, call) => {
    const accountId = checkAccountId(text);
    const { watch_id: watchId } = await findSubscription(db, accountId, id);
    const watch = { accountId, id: watchId, now: clock.now() };
    await db.within(call).transaction(async (tx) => {
      await deleteSubscriptionRow(tx, { accountId, id });
      // A watch that serves a mailbox may have other subscriptions, which may need fewer labels now.
      await planAttempt(tx, watch);
      await endWatch(tx, watch);
    });
    await attemptNow(context, watch);
    wakeUpkeep();
    return {};
  };
}
