import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { subscriptionNotFound } from '../../errors.ts';
import { selectSubscription } from '../../store/subscriptions.ts';
import type { Handlers } from './handlers.ts';
import { subscriptionRecord } from './subscription-record.ts';

/** Returns one subscription. */
export function getSubscription({ db }: Context): Handlers['getSubscription'] {
  return async ({ accountId, id }) => {
    const [row] = await selectSubscription(db, { accountId: checkAccountId(accountId), id });
    if (row === undefined) throw subscriptionNotFound(id);
    return { subscription: subscriptionRecord(row) };
  };
}
