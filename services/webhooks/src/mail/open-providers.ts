import type { Database } from '@agentmesh/lib/pg';
import type { Clock } from '../clock.ts';
import { type Config, publicBaseUrl, pubsubTopic } from '../config.ts';
import { gmailError } from './google/gmail-error.ts';
import { createGmailWatches } from './google/gmail-watch.ts';
import { graphError } from './microsoft/graph-error.ts';
import { createGraphSubscriptions } from './microsoft/graph-subscriptions.ts';
import { createGoogleRegistrar } from './google/google-registrar.ts';
import { createMicrosoftRegistrar } from './microsoft/microsoft-registrar.ts';
import type { Registrars } from './provider/registrar.ts';
import { createProviderClient, type ProviderClient } from './provider/create-provider-client.ts';
import type { MailAccounts } from './provider/mail-accounts.ts';

export interface ProviderParts {
  readonly config: Config;
  readonly db: Database;
  readonly clock: Clock;
  readonly mailAccounts: MailAccounts;
  /** Closes the connections. */
  readonly resources: AsyncDisposableStack;
}

/** Clients of both mail providers. */
export interface Providers {
  readonly graph: ProviderClient;
  readonly gmail: ProviderClient;
  readonly registrars: Registrars;
}

export function openProviders({ config, db, clock, mailAccounts, resources }: ProviderParts): Providers {
  const graph = resources.use(
    createProviderClient({
      provider: 'microsoft',
      baseUrl: config.MICROSOFT_GRAPH_BASE_URL,
      mailAccounts,
      toError: graphError,
    }),
  );
  const gmail = resources.use(
    createProviderClient({ provider: 'google', baseUrl: config.GMAIL_BASE_URL, mailAccounts, toError: gmailError }),
  );
  const subscriptions = createGraphSubscriptions(graph);
  const watches = createGmailWatches(gmail, pubsubTopic(config));
  const registrars = {
    microsoft: createMicrosoftRegistrar({ db, clock, graph: subscriptions, publicBaseUrl: publicBaseUrl(config) }),
    google: createGoogleRegistrar(db, watches),
  };
  return { graph, gmail, registrars };
}
