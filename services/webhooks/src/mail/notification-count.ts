import type { Metrics } from '@agentmesh/lib/telemetry';
import type { Context } from './context.ts';

/** Creates the metric `agentmesh_webhooks_notifications_total`. */
export function createNotificationCount(metrics: Metrics): Context['countNotifications'] {
  const counter = metrics.counter({
    name: 'agentmesh_webhooks_notifications_total',
    help: 'Notifications of mail providers: stored, or ignored because they are unknown, not authentic or unreadable.',
    labelNames: ['provider', 'outcome'],
  });
  return (provider, outcome, number) => {
    if (number > 0) counter.inc({ provider, outcome }, number);
  };
}
