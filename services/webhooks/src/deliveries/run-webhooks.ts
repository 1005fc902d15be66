import type { AddressPolicy } from '@agentmesh/lib/outbound';
import type { Database } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { SigningService } from '@agentmesh/proto/keys/v1/signing';
import type { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import type { Clock } from '../clock.ts';

/** Resources of webhooks of runs. */
export interface RunWebhooks {
  readonly db: Database;
  readonly log: Logger;
  readonly clock: Clock;
  readonly sessions: Client<typeof SessionsService>;
  /** Seals secrets and signs with them. */
  readonly signing: Client<typeof SigningService>;
  /** Decides which addresses a webhook may have. */
  readonly policy: AddressPolicy;
  /** Reaches only such addresses, and follows no redirects. */
  readonly fetch: typeof globalThis.fetch;
  /** Looks for deliveries that are due. Call it after a commit that added one. */
  readonly wakeDeliveries: () => void;
  readonly countDelivery: (outcome: 'delivered' | 'retried' | 'failed') => void;
}

/** Deadline of calls to services. */
export const callMs = 10_000;
