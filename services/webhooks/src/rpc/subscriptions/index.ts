import { onceAtCommit } from '@agentmesh/lib/idempotency';
import { SubscriptionsService } from '@agentmesh/proto/webhooks/v1/subscriptions';
import type { Context } from '../../mail/context.ts';
import { createSubscription } from './create-subscription.ts';
import { deleteSubscription } from './delete-subscription.ts';
import { getSubscription } from './get-subscription.ts';
import type { Handlers } from './handlers.ts';
import { listSubscriptions } from './list-subscriptions.ts';
import { renewSubscription } from './renew-subscription.ts';
import { updateSubscription } from './update-subscription.ts';

/** The table of contents: every RPC of `SubscriptionsService`. */
export function createSubscriptionHandlers(context: Context): Handlers {
  const { method } = SubscriptionsService;
  return {
    listSubscriptions: listSubscriptions(context),
    getSubscription: getSubscription(context),
    createSubscription: onceAtCommit(context, method.createSubscription, createSubscription),
    updateSubscription: onceAtCommit(context, method.updateSubscription, updateSubscription),
    deleteSubscription: deleteSubscription(context),
    renewSubscription: renewSubscription(context),
  };
}
