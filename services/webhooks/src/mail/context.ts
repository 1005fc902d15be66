import type { Jobs } from '@agentmesh/lib/jobs';
import type { Database } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import type { AuthService } from '@agentmesh/proto/auth/v1';
import type { NoticesService } from '@agentmesh/proto/runs/v1/notices';
import type { Client } from '@connectrpc/connect';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { ReadPushToken } from './google/push-token.ts';
import type { MailAccounts } from './provider/mail-accounts.ts';
import type { Provider } from '../provider.ts';
import type { ProviderErrorKind } from './provider/provider-error.ts';
import type { Providers } from './provider/providers.ts';

/** Dependencies of every RPC, consumer and job of this service. */
export interface Context {
  readonly config: Config;
  readonly db: Database;
  readonly artifacts: Client<typeof ArtifactsService>;
  readonly auth: Client<typeof AuthService>;
  readonly notices: Client<typeof NoticesService>;
  readonly jobs: Jobs;
  readonly log: Logger;
  readonly clock: Clock;
  /** Counts notifications by what was done with them. */
  readonly countNotifications: (provider: Provider, outcome: 'stored' | 'ignored', number: number) => void;
  /** Reads the tokens of pushes of Google that no mail provider gets. */
  readonly readPushToken: ReadPushToken;
  readonly mailAccounts: MailAccounts;
  readonly providers: Providers;
  /** Throws `agent_not_found` when the account has no such agent. */
  readonly checkAgent: (accountId: string, agentId: number) => Promise<void>;
  /** Starts a round of upkeep soon. Call it after a commit that planned an attempt. */
  readonly wakeUpkeep: () => void;
  /** Counts a failed attempt to renew or register. */
  readonly countFailure: (provider: Provider, kind: ProviderErrorKind) => void;
}
