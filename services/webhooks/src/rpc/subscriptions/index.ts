import type { Context } from '../../context.ts';
import { createSubscription } from './create-subscription.ts';
import { deleteSubscription } from './delete-subscription.ts';
import { getSubscription } from './get-subscription.ts';
import type { Handlers } from './handlers.ts';
import { listSubscriptions } from './list-subscriptions.ts';
import { renewSubscription } from './renew-subscription.ts';
import { updateSubscription } from './update-subscription.ts';

/** The table of contents: every RPC of `SubscriptionsService`. */
export function createSubscriptionHandlers(context: Context): Handlers {
  return {
    listSubscriptions: listSubscriptions(context),
    getSubscription: getSubscription(context),
    createSubscription: createSubscription(context),
    updateSubscription: updateSubscription(context),
    deleteSubscription: deleteSubscription(context),
    renewSubscription: renewSubscription(context),
  };
}
