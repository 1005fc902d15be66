import type { Jobs } from '@agentmesh/lib/jobs';
import type { Database } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { AuthService } from '@agentmesh/proto/auth/v1';
import type { Client } from '@connectrpc/connect';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { CheckPushToken } from './inbox/push-token.ts';
import type { Provider } from './store/mailboxes.ts';

/** Dependencies of every RPC, consumer and job of this service. */
export interface Context {
  readonly config: Config;
  readonly db: Database;
  readonly auth: Client<typeof AuthService>;
  readonly jobs: Jobs;
  readonly log: Logger;
  readonly clock: Clock;
  /** Throws MeshError unless a push of Gmail is authentic. */
  readonly checkPushToken: CheckPushToken;
  /** Counts notifications by what was done with them. */
  readonly countNotifications: (provider: Provider, outcome: 'stored' | 'ignored', number: number) => void;
}
