import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { deleteSubscriptionRow } from '../../store/subscriptions.ts';
import { endWatch, planAttempt } from '../../store/watches/watch-plans.ts';
import { findSubscription } from '../../subscriptions/find.ts';
import type { Handlers } from './handlers.ts';

/** Deletes a subscription. Its registration is ended at the provider in the background, as often as that takes. */
export function deleteSubscription({ db, clock, wakeUpkeep }: Context): Handlers['deleteSubscription'] {
  return async ({ accountId: text, id }) => {
    const accountId = checkAccountId(text);
    const { watch_id: watchId } = await findSubscription(db, accountId, id);
    await db.transaction(async (tx) => {
      const watch = { accountId, id: watchId, now: clock.now() };
      await deleteSubscriptionRow(tx, { accountId, id });
      // The watch of a Gmail mailbox may have other subscriptions, which may need fewer labels now.
      await planAttempt(tx, watch);
      await endWatch(tx, watch);
    });
    wakeUpkeep();
    return {};
  };
}
