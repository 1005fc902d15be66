import { present } from '../../edge/records/present.ts';
import {
  type CreateSubscriptionRequest,
  defaultProvider,
  type UpdateSubscriptionRequest,
} from './subscription-record.ts';

/** The fields of a creation as webhooks expects them. */
export function creationMessage(body: CreateSubscriptionRequest) {
  return {
    provider: body.provider ?? defaultProvider,
    agentId: Number(body.agent_id),
    allowedSenders: body.allowed_senders ?? [],
    requireAuthentication: body.require_authentication ?? false,
    ...present('resource', body.resource),
    ...present('changeType', body.change_type),
    ...present('agentMessageTemplate', body.agent_message_template),
  };
}

/** The fields of a change as webhooks expects them. */
export function changeMessage(body: UpdateSubscriptionRequest) {
  return {
    ...present('agentId', body.agent_id),
    ...present('agentMessageTemplate', body.agent_message_template),
    ...present('changeType', body.change_type),
    ...present('status', body.status),
    ...present('requireAuthentication', body.require_authentication),
    ...(body.allowed_senders && { allowedSenders: { senders: body.allowed_senders } }),
  };
}
