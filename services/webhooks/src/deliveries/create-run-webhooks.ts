import { createAddressPolicy, createGuardedApiFetch } from '@agentmesh/lib/outbound';
import type { Host } from '@agentmesh/lib/service';
import { SigningService } from '@agentmesh/proto/keys/v1/signing';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { settings } from '../config.ts';
import { attemptMs } from './deliver.ts';
import type { RunWebhooks } from './run-webhooks.ts';

/** Collects what webhooks of runs need. */
export function createRunWebhooks(
  { config, log, mesh, metrics, resources }: Host<typeof settings>,
  { db, clock, wakeDeliveries }: Pick<RunWebhooks, 'db' | 'clock' | 'wakeDeliveries'>,
): RunWebhooks {
  const policy = createAddressPolicy(config.RUNS_WEBHOOK_ALLOW);
  const guarded = resources.use(createGuardedApiFetch({ policy, connectTimeoutMs: 5_000, silenceMs: attemptMs }));
  const attempts = metrics.counter({
    name: 'agentmesh_webhooks_deliveries_total',
    help: 'Attempts to deliver messages of webhooks of runs, by how they ended: delivered, retried, failed (for good).',
    labelNames: ['outcome'],
  });
  return {
    db,
    log,
    clock,
    wakeDeliveries,
    policy,
    sessions: mesh.client(SessionsService),
    signing: mesh.client(SigningService),
    fetch: guarded.fetch,
    countDelivery: (outcome) => attempts.inc({ outcome }),
  };
}
