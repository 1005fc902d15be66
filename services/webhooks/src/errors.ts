import { MeshError } from '@agentmesh/lib/rpc';

/** The account has no subscription with this id. */
export function subscriptionNotFound(id: number): MeshError {
  return new MeshError('not_found', 'subscription_not_found', `Subscription ${id} not found.`);
}

/** A push of Google has no bearer token. */
export function pushUnauthenticated(): MeshError {
  return new MeshError('unauthenticated', 'push_unauthenticated', 'A push needs a bearer token.');
}

/** The token of a push is not by Google, not for this address or not of a configured service account, or none is configured. */
export function pushRefused(): MeshError {
  return new MeshError(
    'permission_denied',
    'push_refused',
    'The push has no token that Google made for this receiver.',
  );
}

/** Google's keys cannot be read, so that no push can be checked. */
export function pushKeysUnavailable(): MeshError {
  return new MeshError('unavailable', 'push_keys_unavailable', "Google's keys cannot be read.");
}

/** Fields of a subscription whose values callers choose. */
export type SubscriptionField =
  | 'provider'
  | 'resource'
  | 'change_type'
  | 'agent_message_template'
  | 'allowed_senders'
  | 'status';

/** A field of a subscription is not valid; the reason names it. */
export function fieldInvalid(field: SubscriptionField, fault: string): MeshError {
  return new MeshError('invalid_argument', `subscription_${field}_invalid`, fault);
}

/** The account has as many subscriptions as it may have. */
export function subscriptionLimit(most: number): MeshError {
  return new MeshError('failed_precondition', 'subscription_limit', `An account has at most ${most} subscriptions.`);
}

/** Another call or a renewal works on the registration for too long. */
export function watchBusy(): MeshError {
  return new MeshError('unavailable', 'subscription_busy', 'The subscription is being renewed. Try again.');
}

/** The operator has not named the Pub/Sub topic. */
export function pubsubNotConfigured(): MeshError {
  const text = 'Gmail subscriptions need the settings GMAIL_PUBSUB_PROJECT_ID and GMAIL_PUBSUB_TOPIC of this server.';
  return new MeshError('unavailable', 'pubsub_not_configured', text);
}

/** The provider neither knows the subscription nor accepts it again, so it was deleted. */
export function subscriptionGone(id: number): MeshError {
  const text = `Subscription ${id} no longer exists at the mail provider and was deleted.`;
  return new MeshError('not_found', 'subscription_gone', text);
}

/** The account has no log with this id. */
export function logNotFound(): MeshError {
  return new MeshError('not_found', 'log_not_found', 'webhook log not found');
}

/** The account has no log with this id, its mail has no such attachment, or it was never stored and the provider no longer has it. */
export function attachmentNotFound(): MeshError {
  return new MeshError('not_found', 'attachment_not_found', 'attachment not found');
}

/** An attachment is larger than this server downloads. */
export function attachmentTooLarge(maxBytes: number): MeshError {
  const text = `The attachment is larger than ${maxBytes} bytes.`;
  return new MeshError('resource_exhausted', 'attachment_too_large', text);
}

/** The download of an attachment takes too long, or waits for others too long. */
export function attachmentBusy(): MeshError {
  return new MeshError('unavailable', 'attachment_busy', 'The attachment is being downloaded. Try again.');
}

/** A log cannot be triggered again while it waits or its run is under way. */
export function alreadyRunning(): MeshError {
  return new MeshError('failed_precondition', 'already_running_or_queued', 'already_running_or_queued');
}

/** A log cannot be triggered again because its subscription was deleted or disabled. */
export function subscriptionInactive(): MeshError {
  return new MeshError('failed_precondition', 'subscription_inactive', 'subscription_inactive');
}

/** A request about logs is not allowed. `fault` says why. */
export function logFilterInvalid(fault: string): MeshError {
  return new MeshError('invalid_argument', 'request_invalid', `The request ${fault}.`);
}

/** A webhook of a run has an address that may not be used. `fault` is public and says why. */
export function runWebhookUrlRefused(fault: string): MeshError {
  return new MeshError('invalid_argument', 'run_webhook_url_refused', fault);
}

/** The account has too many webhooks of runs that are not over. */
export function runWebhookLimit(most: number): MeshError {
  const text = `An account has at most ${most} webhooks of runs that have not ended.`;
  return new MeshError('resource_exhausted', 'run_webhook_limit', text);
}

/** The run has no webhook, or there is no such run. */
export function runWebhookNotFound(): MeshError {
  return new MeshError('not_found', 'run_webhook_not_found', 'The run has no webhook.');
}

/** The webhook of the run has no delivery with this id. */
export function deliveryNotFound(): MeshError {
  return new MeshError('not_found', 'delivery_not_found', 'Delivery not found.');
}

/** A repeated call registers another webhook for the run. */
export function webhookKeyReused(): MeshError {
  const text = 'The idempotency key was used with another webhook.';
  return new MeshError('failed_precondition', 'idempotency_key_reused', text);
}

/** The account has no schedule with this id. */
export function scheduleNotFound(): MeshError {
  return new MeshError('not_found', 'schedule_not_found', 'Schedule not found.');
}

/** The account has as many schedules as it may have. */
export function scheduleLimit(most: number): MeshError {
  return new MeshError('resource_exhausted', 'schedule_limit', `An account has at most ${most} schedules.`);
}

/** A field of a schedule is not valid; the reason names it. */
export function scheduleFieldInvalid(field: 'cron' | 'timezone' | 'message' | 'session', fault: string): MeshError {
  return new MeshError('invalid_argument', `schedule_${field}_invalid`, fault);
}
