import { randomBytes } from 'node:crypto';
import type { CreateSubscriptionRequest } from '@agentmesh/proto/webhooks/v1/subscriptions';
import { fieldInvalid } from '../../errors.ts';
import { findProvider, type Provider } from '../../provider.ts';
import type { Wishes } from '../../store/subscriptions.ts';
import { readAllowedSenders, readChangeType, readTemplate } from './fields.ts';
import { readResource } from './resource.ts';

/** A valid request for a subscription. */
export interface Draft extends Wishes {
  readonly provider: Provider;
  /** The caller's word for the provider. */
  readonly providerName: string;
  readonly resource: string;
  /** Gmail: the id of the subscription that callers see. */
  readonly localId: string | null;
}

/** Reads a request. Throws `subscription_<field>_invalid`. */
export function readDraft(request: CreateSubscriptionRequest): Draft {
  const provider = findProvider(request.provider);
  if (provider === undefined) throw fieldInvalid('provider', 'The provider is not known.');
  return {
    provider,
    providerName: request.provider,
    resource: readResource(provider, request.resource),
    changeType: readChangeType(request.changeType ?? 'created'),
    agentId: request.agentId,
    template: readTemplate(request.agentMessageTemplate),
    allowedSenders: readAllowedSenders(request.allowedSenders),
    requireAuthentication: request.requireAuthentication,
    localId: provider === 'google' ? `gmail-watch-${randomBytes(8).toString('hex')}` : null,
  };
}
