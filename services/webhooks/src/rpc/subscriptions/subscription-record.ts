import type { SubscriptionSchema } from '@agentmesh/proto/webhooks/v1/subscriptions';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { SubscriptionRow } from '../../store/subscriptions.ts';

const toSeconds = (time: Date): number => time.getTime() / 1000;

/** Converts a subscription to the message that RPCs return. */
export function subscriptionRecord(row: SubscriptionRow): MessageInitShape<typeof SubscriptionSchema> {
  return {
    id: row.id,
    provider: row.provider_name,
    subscriptionId: row.local_id ?? row.provider_id ?? undefined,
    resource: row.resource,
    changeType: row.change_type,
    agentId: row.agent_id,
    agentMessageTemplate: row.agent_message_template ?? undefined,
    status: statusOf(row),
    expireTime: row.expires_at === null ? undefined : toSeconds(row.expires_at),
    createTime: toSeconds(row.created_at),
    allowedSenders: row.allowed_senders,
    requireAuthentication: row.require_authentication,
    lastError: row.last_error ?? undefined,
    mailbox: row.mailbox,
  };
}

/** What its owner has chosen, else the state of its watch. A watch that is being registered again counts as active. */
function statusOf({ state, watch_state: watch }: SubscriptionRow): string {
  if (state === 'disabled') return 'disabled';
  return watch === 'error' || watch === 'expired' ? watch : 'active';
}
