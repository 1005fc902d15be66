import type { Bus } from '@agentmesh/lib/bus';
import type { Database } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';

/** What every RPC of this service works with. */
export interface Context {
  readonly db: Database;
  readonly bus: Bus;
  readonly log: Logger;
  readonly leaseSeconds: number;
  /** Tells the outbox relay that a fact was committed. */
  wakeOutbox(): void;
}
