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
    await findSubscription(db, accountId, id);
    const now = clock.now();
    const watch = await db.within(call).transaction(async (tx) => {
      const [deleted] = await deleteSubscriptionRow(tx, { accountId, id });
      if (deleted === undefined) return undefined;
      const ending = { accountId, id: deleted.watch_id, now };
      // A watch that serves a mailbox may have other subscriptions, which may need fewer labels now.
      await planAttempt(tx, ending);
      await endWatch(tx, ending);
      return ending;
    });
    if (watch !== undefined) await attemptNow(context, watch);
    wakeUpkeep();
    return {};
  };
}
