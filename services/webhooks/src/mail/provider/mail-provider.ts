import type { Jobs } from '@agentmesh/lib/jobs';
import type { Database } from '@agentmesh/lib/pg';
import type { MailProvider as IntegrationProvider } from '@agentmesh/proto/keys/v1/integrations';
import type { Clock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import type { Provider } from '../../provider.ts';
import type { Findings, Look } from './look.ts';
import type { MailReader } from './mail.ts';
import type { AccessToken, MailAccounts } from './mail-accounts.ts';
import type { Registrar } from './registrar.ts';

/** A provider before any part of it is opened. */
export interface ProviderTraits {
  /** Its word in tables, jobs and metrics. It never changes. */
  readonly word: Provider;
  /** Its number in the service keys, which holds the mail accounts. */
  readonly integration: IntegrationProvider;
  /** Words by which callers of the API name it. */
  readonly callerWords: readonly string[];
  /** Its name in errors, e.g. `Google Gmail`. */
  readonly title: string;
  /**
   * One watch serves a whole mailbox: all subscriptions to the mailbox share it, also those of other accounts, and it covers all their
   * resources and kinds of changes. False: each subscription has a watch of its own, for its resource and its kinds of changes.
   */
  readonly servesMailbox: boolean;
}

/** A request from the internet that may be a notification. */
export interface Notification {
  /** Last part of the path; empty when it has none. */
  readonly pathToken: string;
  /** Value of the header `Authorization`; empty when there is none. */
  readonly authorization: string;
  readonly body: Uint8Array;
}

/** Where notifications are stored. */
export interface Inbox {
  readonly db: Database;
  readonly jobs: Jobs;
  readonly clock: Clock;
}

/** Numbers of notifications in a request. */
export interface Notified {
  readonly stored: number;
  /** Unknown, not authentic or unreadable. */
  readonly ignored: number;
}

/** An opened provider: `register`, `renew` and `end` of a watch, `fetchMail` and `fetchAttachment`, and the methods below. */
export interface ProviderMethods extends Registrar, MailReader {
  /** Throws MeshError while the operator has not configured what subscriptions to this provider need. */
  checkConfigured(): void;
  /** Reads what a caller wants to watch; absent: the inbox. Throws `subscription_resource_invalid`. */
  readResource(resource: string | undefined): string;
  /**
   * The resource as the mailbox names it. Throws `subscription_resource_invalid` when the connected mailbox does not have it, and
   * ProviderError.
   */
  resourceOf(resource: string, mailbox: { readonly accountId: string; readonly token: AccessToken }): Promise<string>;
  /** A new id of a subscription for callers; null when the provider makes one. */
  newLocalId(): string | null;
  /** Looks for mail of which no notification arrived. Throws ProviderError. */
  look(look: Look): Promise<Findings>;
  /**
   * Stores what a notification says, in one transaction with the jobs that read the mailboxes. Throws MeshError for a caller that is not the
   * provider, if the provider can be told; what it cannot use is ignored.
   */
  notified(inbox: Inbox, notification: Notification): Promise<Notified>;
}

/** Surroundings that a provider may need. */
export interface ProviderParts {
  readonly config: Config;
  readonly db: Database;
  readonly clock: Clock;
  readonly mailAccounts: MailAccounts;
  /** Closes the connections. */
  readonly resources: AsyncDisposableStack;
}

/** A mail provider: a folder of this room, and a line in `mail-providers.ts`. */
export interface MailProvider extends ProviderTraits {
  open(parts: ProviderParts): ProviderMethods;
}

/** A provider that is ready to be called. */
export interface OpenedProvider extends ProviderTraits, ProviderMethods {}
