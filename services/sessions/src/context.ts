import type { Bus } from '@agentmesh/lib/bus';
import type { Database } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import type { AuthService } from '@agentmesh/proto/auth/v1';
import type { Client } from '@connectrpc/connect';
import type { AccountUsage } from './account-usage.ts';
import type { SizeLimits } from './store/sizes.ts';
import type { OutageWatch } from './outage-watch.ts';
import type { KnownExecutors } from './known-executors.ts';

/** Everything that RPC handlers and consumers of this service use. */
export interface Context extends AccountUsage {
  readonly db: Database;
  readonly bus: Bus;
  readonly auth: Client<typeof AuthService>;
  readonly artifacts: Client<typeof ArtifactsService>;
  readonly log: Logger;
  readonly leaseSeconds: number;
  readonly outages: OutageWatch;
  readonly executors: KnownExecutors;
  readonly limits: SizeLimits;
  /** Days for which runs and events without a rule are kept; 0: for ever. */
  readonly retentionDays: number;
  /** Counts runs that were taken over. */
  readonly takenOver: { inc(): void };
  /** Call it after a commit that wrote to the outbox: the relay then publishes at once. */
  wakeOutbox(): void;
}
