import { MeshError } from '@agentmesh/lib/rpc';
import type { Subscription } from '@agentmesh/proto/webhooks/v1/subscriptions';
import type { WebhookSubscription } from './subscription-record.ts';

/** Public form of a subscription. */
export function subscriptionJson(subscription: Subscription | undefined): WebhookSubscription {
  if (subscription === undefined) {
    throw new MeshError('internal', 'subscription_missing', 'The subscription could not be read.');
  }
  return {
    id: subscription.id,
    provider: subscription.provider,
    subscription_id: subscription.subscriptionId ?? null,
    resource: subscription.resource,
    change_type: subscription.changeType,
    agent_id: subscription.agentId,
    agent_message_template: subscription.agentMessageTemplate ?? null,
    status: subscription.status,
    expiration_datetime: subscription.expireTime === undefined ? null : dateTime(subscription.expireTime),
    created_at: dateTime(subscription.createTime),
    allowed_senders: subscription.allowedSenders,
    require_authentication: subscription.requireAuthentication,
    last_error: subscription.lastError ?? null,
    mailbox: subscription.mailbox,
  };
}

const dateTime = (seconds: number): string => new Date(seconds * 1000).toISOString();
