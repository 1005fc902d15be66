import type { Queryable } from '@agentmesh/lib/pg';
import type { SubscriptionSchema } from '@agentmesh/proto/webhooks/v1/subscriptions';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Context } from '../../mail/context.ts';
import { findSubscription } from '../../mail/subscriptions/find.ts';
import { subscriptionRecord } from './subscription-record.ts';

/** Reads a subscription as a message. Throws `subscription_not_found`. */
export async function subscriptionOf(
  { db, clock }: Pick<Context, 'clock'> & { readonly db: Queryable },
  accountId: string,
  id: number,
): Promise<MessageInitShape<typeof SubscriptionSchema>> {
  return subscriptionRecord(await findSubscription(db, accountId, id), clock.now());
}
