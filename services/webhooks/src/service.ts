import { openJobs } from '@agentmesh/lib/jobs';
import { defineService } from '@agentmesh/lib/service';
import { AccountDeletedSchema, AuthService } from '@agentmesh/proto/auth/v1';
import { NotificationsService } from '@agentmesh/proto/webhooks/v1/notifications';
import { SubscriptionsService } from '@agentmesh/proto/webhooks/v1/subscriptions';
import { systemClock } from './clock.ts';
import { settings } from './config.ts';
import { onAccountDeleted } from './consumers/on-account-deleted.ts';
import type { Context } from './context.ts';
import { createNotificationCount } from './inbox/notification-count.ts';
import { createPushTokenCheck } from './inbox/push-token.ts';
import { readMailboxTask } from './jobs/read-mailbox-task.ts';
import { createNotificationHandlers } from './rpc/notifications/index.ts';
import { createSubscriptionHandlers } from './rpc/subscriptions/index.ts';

/** Subscriptions to mailboxes: mail that arrives runs agents. */
export const webhooks = defineService({
  name: 'webhooks',
  settings,
  async start(host) {
    const { config, bus, log, mesh, metrics, resources, draining } = host;
    const db = await host.openDatabase(new URL('../migrations/', import.meta.url), { jobs: true });
    const jobs = resources.use(
      await openJobs({ service: 'webhooks', db, tasks: [readMailboxTask], log, metrics, draining }),
    );
    const context: Context = {
      config,
      db,
      auth: mesh.client(AuthService),
      jobs,
      log,
      clock: systemClock,
      checkPushToken: createPushTokenCheck({
        keysUrl: config.GOOGLE_JWKS_URL,
        audience: config.GOOGLE_WEBHOOK_AUDIENCE,
        serviceAccount: config.GOOGLE_WEBHOOK_SERVICE_ACCOUNT,
      }),
      countNotifications: createNotificationCount(metrics),
    };

    mesh.serve(NotificationsService, createNotificationHandlers(context));
    mesh.serve(SubscriptionsService, createSubscriptionHandlers(context));
    resources.defer(await bus.subscribe(AccountDeletedSchema, onAccountDeleted(context)));

    return { ready: { database: () => db.ping() }, settle: () => jobs.settle() };
  },
});
