import type { CreateSubscriptionRequest } from '@agentmesh/proto/webhooks/v1/subscriptions';
import { fieldInvalid } from '../../errors.ts';
import type { OpenedProvider } from '../provider/mail-provider.ts';
import type { Providers } from '../provider/providers.ts';
import type { Wishes } from '../../store/subscriptions.ts';
import { readAllowedSenders, readChangeType, readTemplate } from './fields.ts';

/** A valid request for a subscription. */
export interface Draft extends Wishes {
  readonly provider: OpenedProvider;
  /** The caller's word for the provider. */
  readonly providerName: string;
  readonly resource: string;
  /** The id of the subscription that callers see, when the provider makes none. */
  readonly localId: string | null;
}

/** Reads a request. Throws `subscription_<field>_invalid`. */
export function readDraft(providers: Providers, request: CreateSubscriptionRequest): Draft {
  const provider = providers.find(({ callerWords }) => callerWords.includes(request.provider));
  if (provider === undefined)
    throw fieldInvalid('provider', `The provider is not known. Known: ${providers.callerWords.join(', ')}.`);
  return {
    provider,
    providerName: request.provider,
    resource: provider.readResource(request.resource),
    changeType: readChangeType(request.changeType ?? 'created'),
    agentId: request.agentId,
    template: readTemplate(request.agentMessageTemplate),
    allowedSenders: readAllowedSenders(request.allowedSenders),
    requireAuthentication: request.requireAuthentication,
    localId: provider.newLocalId(),
  };
}
