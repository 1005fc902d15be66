import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../mail/context.ts';
import type { Handlers } from './handlers.ts';
import { subscriptionOf } from './subscription-of.ts';

/** Returns one subscription. */
export function getSubscription(context: Context): Handlers['getSubscription'] {
  return async ({ accountId, id }) => ({ subscription: await subscriptionOf(context, checkAccountId(accountId), id) });
}
