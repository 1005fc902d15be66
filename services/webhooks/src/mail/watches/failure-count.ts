import type { Metrics } from '@agentmesh/lib/telemetry';
import type { Context } from '../context.ts';

/** Counts failed attempts to renew or register, by provider and kind. */
export function createFailureCount(metrics: Metrics): Context['countFailure'] {
  const counter = metrics.counter({
    name: 'agentmesh_webhooks_renewal_failures_total',
    help: 'Failed attempts to renew or register a subscription to a mailbox, by provider and kind of failure.',
    labelNames: ['provider', 'kind'],
  });
  return (provider, kind) => counter.inc({ provider, kind });
}
