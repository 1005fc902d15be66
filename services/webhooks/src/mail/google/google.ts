import { randomBytes } from 'node:crypto';
import type { Database } from '@agentmesh/lib/pg';
import { MailProvider as IntegrationProvider } from '@agentmesh/proto/keys/v1/integrations';
import type { Clock } from '../../clock.ts';
import { pubsubTopic } from '../../config.ts';
import { pubsubNotConfigured } from '../../errors.ts';
import { createProviderClient, type ProviderClient } from '../provider/create-provider-client.ts';
import type { MailProvider, OpenedProvider, ProviderTraits } from '../provider/mail-provider.ts';
import { gmailError } from './gmail-error.ts';
import { readLabel, resolveLabel } from './gmail-label.ts';
import { createGmailMailReader } from './gmail-mail.ts';
import { gmailNotified, type PushOptions } from './gmail-notified.ts';
import { createGmailWatches } from './gmail-watch.ts';
import { createGoogleRegistrar } from './google-registrar.ts';
import { lookAtGmail } from './look-at-gmail.ts';
import { createPushTokenCheck, createPushTokenReader } from './push-token.ts';

const traits: ProviderTraits = {
  word: 'google',
  integration: IntegrationProvider.GOOGLE,
  callerWords: ['vendorb_mail', 'google_gmail'],
  title: 'Google Gmail',
  servesMailbox: true,
};

export interface GoogleParts extends PushOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly client: ProviderClient;
  /** Full name of the Pub/Sub topic that Gmail publishes to; undefined while it is not configured. */
  readonly topic: string | undefined;
}

/** Gmail over a client of its API. */
export function createGoogle({ db, clock, client, topic, ...pushes }: GoogleParts): OpenedProvider {
  return {
    ...traits,
    ...createGoogleRegistrar({ db, clock, gmail: createGmailWatches(client, topic) }),
    ...createGmailMailReader(client),
    checkConfigured: () => {
      if (topic === undefined) throw pubsubNotConfigured();
    },
    readResource: readLabel,
    resourceOf: (label, { accountId, token: { accessToken } }) =>
      resolveLabel(client, label, { mailAccount: { accountId }, accessToken }),
    newLocalId: () => `gmail-watch-${randomBytes(8).toString('hex')}`,
    look: (look) => lookAtGmail({ ...look, client }),
    notified: gmailNotified(pushes),
  };
}

/** Google Gmail: a mailbox has one watch in a Google project, whose pushes say only that something has changed. */
export const google: MailProvider = {
  ...traits,
  open: ({ config, db, clock, mailAccounts, resources }) => {
    const baseUrl = config.GMAIL_BASE_URL;
    return createGoogle({
      db,
      clock,
      client: resources.use(createProviderClient({ provider: 'google', baseUrl, mailAccounts, toError: gmailError })),
      topic: pubsubTopic(config),
      subscription: config.GMAIL_PUBSUB_SUBSCRIPTION,
      checkPushToken: createPushTokenCheck({
        readToken: createPushTokenReader(config.GOOGLE_JWKS_URL),
        audience: config.GOOGLE_WEBHOOK_AUDIENCE,
        serviceAccount: config.GOOGLE_WEBHOOK_SERVICE_ACCOUNT,
      }),
    });
  },
};
