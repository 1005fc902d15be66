import type { SubscriptionSchema } from '@agentmesh/proto/webhooks/v1/subscriptions';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { SubscriptionRow } from '../../store/subscriptions.ts';

const toSeconds = (time: Date): number => time.getTime() / 1000;

/** Converts a subscription to the message that RPCs return. */
export function subscriptionRecord(row: SubscriptionRow, now: Date): MessageInitShape<typeof SubscriptionSchema> {
  const { local_id: localId, provider_id: providerId, agent_message_template: template, expires_at: expiresAt } = row;
  const subscriptionId = localId ?? providerId;
  return {
    id: row.id,
    provider: row.provider_name,
    resource: row.resource,
    changeType: row.change_type,
    agentId: row.agent_id,
    status: statusOf(row, now),
    createTime: toSeconds(row.created_at),
    allowedSenders: row.allowed_senders,
    requireAuthentication: row.require_authentication,
    mailbox: row.mailbox,
    ...(subscriptionId !== null && { subscriptionId }),
    ...(template !== null && { agentMessageTemplate: template }),
    ...(expiresAt !== null && { expireTime: toSeconds(expiresAt) }),
    ...(row.last_error !== null && { lastError: row.last_error }),
  };
}

/**
 * Returns `disabled` when the owner disabled the subscription, else the state of its watch. A watch that is being registered again counts as
 * active.
 */
function statusOf({ state, watch_state: watch, expires_at: expiresAt }: SubscriptionRow, now: Date): string {
  if (state === 'disabled') return 'disabled';
  if (watch === 'error') return 'error';
  return watch === 'expired' || (expiresAt !== null && expiresAt <= now) ? 'expired' : 'active';
}
