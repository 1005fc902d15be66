import type { Context } from '../../context.ts';
import { getSubscription } from './get-subscription.ts';
import type { Handlers } from './handlers.ts';
import { listSubscriptions } from './list-subscriptions.ts';

/** The table of contents: every RPC of `SubscriptionsService`. */
export function createSubscriptionHandlers(context: Context): Handlers {
  return {
    listSubscriptions: listSubscriptions(context),
    getSubscription: getSubscription(context),
  };
}
