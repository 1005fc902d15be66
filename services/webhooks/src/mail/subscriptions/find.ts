import type { Queryable } from '@agentmesh/lib/pg';
import { subscriptionNotFound } from '../../errors.ts';
import { selectSubscription, type SubscriptionRow } from '../../store/subscriptions.ts';

/** Reads a subscription of an account. Throws `subscription_not_found`. */
export async function findSubscription(db: Queryable, accountId: string, id: number): Promise<SubscriptionRow> {
  const [row] = await selectSubscription(db, { accountId, id });
  if (row === undefined) throw subscriptionNotFound(id);
  return row;
}
