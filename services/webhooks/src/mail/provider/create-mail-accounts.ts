import { isMeshError } from '@agentmesh/lib/rpc';
import { type IntegrationsService, MailProvider as IntegrationProvider } from '@agentmesh/proto/keys/v1/integrations';
import type { Client } from '@connectrpc/connect';
import type { MailAccounts } from './mail-accounts.ts';
import type { Provider } from '../../provider.ts';
import type { ProviderTraits } from './mail-provider.ts';
import { ProviderError, type ProviderErrorKind } from './provider-error.ts';

const short = { timeoutMs: 10_000 } as const;
/** The holder may wait for another refresh, and then for the provider. */
const refresh = { timeoutMs: 45_000 } as const;

const kinds: Readonly<Record<string, ProviderErrorKind>> = {
  integration_missing: 'disconnected',
  integration_reconnect_required: 'reconnect',
  mail_provider_misconfigured: 'misconfigured',
  mail_provider_not_configured: 'misconfigured',
};

/** Mail accounts at the given providers that the service keys holds. Failures of keys itself are `unavailable`. */
export function createMailAccounts(
  integrations: Client<typeof IntegrationsService>,
  providers: readonly ProviderTraits[],
): MailAccounts {
  const numberOf = (word: Provider): IntegrationProvider =>
    providers.find((one) => one.word === word)?.integration ?? IntegrationProvider.UNSPECIFIED;
  return {
    check: async (accountId, provider) => {
      const listed = await integrations.listIntegrations({ accountId }, short).catch(throwProviderError);
      const found = listed.integrations.some((integration) => integration.provider === numberOf(provider));
      if (!found) throw new ProviderError({ kind: 'disconnected' });
    },
    accessToken: async (provider, { accountId, integrationId = 0n }, { fresh }) => {
      const request = { accountId, provider: numberOf(provider), integrationId, fresh };
      const answer = await integrations.getAccessToken(request, refresh).catch(throwProviderError);
      const { accessToken, username, integrationId: id, providerUserId: userId } = answer;
      return { accessToken, mailbox: username.toLowerCase(), integrationId: id, userId };
    },
    listEnding: async () =>
      (await integrations.listEndingIntegrations({}, short).catch(throwProviderError)).integrations,
    finishDisconnect: async (ending) => {
      await integrations.finishDisconnect(ending, short).catch(throwProviderError);
    },
  };
}

function throwProviderError(cause: unknown): never {
  if (!isMeshError(cause)) throw cause;
  throw new ProviderError({ kind: kinds[cause.reason] ?? 'unavailable', code: cause.reason, cause });
}
