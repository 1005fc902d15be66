import type { Database } from '@agentmesh/lib/pg';
import { MailProvider as IntegrationProvider } from '@agentmesh/proto/keys/v1/integrations';
import type { Clock } from '../../clock.ts';
import { publicBaseUrl } from '../../config.ts';
import { createProviderClient, type ProviderClient } from '../provider/create-provider-client.ts';
import type { MailProvider, OpenedProvider, ProviderTraits } from '../provider/mail-provider.ts';
import { graphError } from './graph-error.ts';
import { createGraphMailReader } from './graph-mail.ts';
import { graphNotified } from './graph-notified.ts';
import { checkOwner, readGraphResource } from './graph-resource.ts';
import { createGraphSubscriptions } from './graph-subscriptions.ts';
import { lookAtGraph } from './look-at-graph.ts';
import { createMicrosoftRegistrar } from './microsoft-registrar.ts';

const traits: ProviderTraits = {
  word: 'microsoft',
  integration: IntegrationProvider.MICROSOFT,
  callerWords: ['vendora_mail', 'microsoft_outlook'],
  title: 'Microsoft Outlook',
  servesMailbox: false,
};

export interface MicrosoftParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly client: ProviderClient;
  /** Public address of this API without a trailing slash. */
  readonly publicBaseUrl: string;
}

/** Microsoft Graph over a client of its API. */
export function createMicrosoft({ client, ...parts }: MicrosoftParts): OpenedProvider {
  return {
    ...traits,
    ...createMicrosoftRegistrar({ ...parts, graph: createGraphSubscriptions(client) }),
    ...createGraphMailReader(client),
    checkConfigured: () => undefined,
    readResource: readGraphResource,
    resourceOf: async (path, { token }) => {
      checkOwner(path, token);
      return path;
    },
    newLocalId: () => null,
    look: (look) => lookAtGraph({ ...look, client }),
    notified: graphNotified,
  };
}

/** Microsoft Outlook: each subscription is one of Microsoft Graph, whose notifications name mails. */
export const microsoft: MailProvider = {
  ...traits,
  open: ({ config, db, clock, mailAccounts, resources }) => {
    const baseUrl = config.MICROSOFT_GRAPH_BASE_URL;
    const options = { provider: 'microsoft', baseUrl, mailAccounts, toError: graphError };
    const client = resources.use(createProviderClient(options));
    return createMicrosoft({ db, clock, client, publicBaseUrl: publicBaseUrl(config) });
  },
};
