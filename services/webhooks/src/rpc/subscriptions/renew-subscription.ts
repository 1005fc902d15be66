import { afterChange, checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../mail/context.ts';
import { subscriptionGone } from '../../errors.ts';
import { ProviderError } from '../../mail/provider/provider-error.ts';
import { providerFailure } from '../../mail/provider/provider-failure.ts';
import { deleteSubscriptionRow, lockSubscription, type SubscriptionRow } from '../../store/subscriptions.ts';
import { endWatch } from '../../store/watches/watch-plans.ts';
import { selectWatch } from '../../store/watches/watches.ts';
import { findSubscription } from '../../mail/subscriptions/find.ts';
import { renewHeld, writeFailure } from '../../mail/watches/attempt.ts';
import { holdWatch } from '../../mail/watches/hold-watch.ts';
import type { Handlers } from './handlers.ts';
import { subscriptionOf } from './subscription-of.ts';

/** Renews a subscription now, and registers it again when the provider has forgotten it. */
export function renewSubscription(context: Context): Handlers['renewSubscription'] {
  return async ({ accountId: text, id }) => {
    const accountId = checkAccountId(text);
    const row = await findSubscription(context.db, accountId, id);
    await renew(context, accountId, row).catch((error: unknown) => {
      throw providerFailure(error, context.providers.of(row.provider));
    });
    return { subscription: await afterChange(subscriptionOf(context, accountId, id)) };
  };
}

/** Does nothing when the registration is gone: the subscription is gone, too, or has just got another one. */
async function renew(context: Context, accountId: string, subscription: SubscriptionRow): Promise<void> {
  const [watch] = await selectWatch(context.db, { accountId, id: subscription.watch_id });
  if (watch === undefined) return;
  await holdWatch(context, watch, async (held) => {
    // Its owner may have changed it before the claim.
    const wanted = await findSubscription(context.db, accountId, subscription.id);
    try {
      await renewHeld(context, held, wanted);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      await writeFailure(context, held, error);
      if (error.kind !== 'not_found') throw error;
      if (await removeGone(context, accountId, subscription)) throw subscriptionGone(subscription.id);
    }
  });
}

/**
 * Deletes a subscription that the provider neither knows nor accepts again, because its folder does not exist any more. False when it has got another
 * registration meanwhile: then it stays.
 */
async function removeGone({ db, clock }: Context, accountId: string, gone: SubscriptionRow): Promise<boolean> {
  const { id, watch_id: watchId } = gone;
  return db.transaction(async (tx) => {
    const row = await lockSubscription(tx, { accountId, id });
    if (row?.watch_id !== watchId) return false;
    await deleteSubscriptionRow(tx, { accountId, id });
    await endWatch(tx, { accountId, id: watchId, now: clock.now() });
    return true;
  });
}
