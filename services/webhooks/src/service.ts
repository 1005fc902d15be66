import { openJobs } from '@agentmesh/lib/jobs';
import { defineService } from '@agentmesh/lib/service';
import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { SubscriptionsService } from '@agentmesh/proto/webhooks/v1/subscriptions';
import { systemClock } from './clock.ts';
import { settings } from './config.ts';
import { onAccountDeleted } from './consumers/on-account-deleted.ts';
import type { Context } from './context.ts';
import { createSubscriptionHandlers } from './rpc/subscriptions/index.ts';

/** Subscriptions to mailboxes: mail that arrives runs agents. */
export const webhooks = defineService({
  name: 'webhooks',
  settings,
  async start(host) {
    const { config, bus, log, mesh, metrics, resources, draining } = host;
    const db = await host.openDatabase(new URL('../migrations/', import.meta.url), { jobs: true });
    const jobs = resources.use(await openJobs({ service: 'webhooks', db, tasks: [], log, metrics, draining }));
    const context: Context = { config, db, bus, jobs, log, clock: systemClock };

    mesh.serve(SubscriptionsService, createSubscriptionHandlers(context));
    resources.defer(await bus.subscribe(AccountDeletedSchema, onAccountDeleted(context)));

    return { ready: { database: () => db.ping() }, settle: () => jobs.settle() };
  },
});
