import { openJobs } from '@agentmesh/lib/jobs';
import { defineService, type Host } from '@agentmesh/lib/service';
import { Wake } from '@agentmesh/lib/wait';
import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { AccountDeletedSchema, AuthService } from '@agentmesh/proto/auth/v1';
import {
  IntegrationConnectedSchema,
  IntegrationDisconnectedSchema,
  IntegrationsService,
} from '@agentmesh/proto/keys/v1/integrations';
import { AgentsService } from '@agentmesh/proto/runs/v1/agents';
import { NoticesService } from '@agentmesh/proto/runs/v1/notices';
import { LogsService } from '@agentmesh/proto/webhooks/v1/logs';
import { NotificationsService } from '@agentmesh/proto/webhooks/v1/notifications';
import { SubscriptionsService } from '@agentmesh/proto/webhooks/v1/subscriptions';
import { settings } from './config.ts';
import { onIntegrationConnected } from './consumers/on-integration-connected.ts';
import { onIntegrationDisconnected } from './consumers/on-integration-disconnected.ts';
import { onAccountDeleted } from './consumers/on-account-deleted.ts';
import type { Context } from './mail/context.ts';
import { createNotificationCount } from './mail/notification-count.ts';
import { askByMail } from './jobs/ask-by-mail.ts';
import { keepProcessing } from './jobs/keep-processing.ts';
import { readMailboxTask } from './mail/read-mailbox-task.ts';
import { ownerTeller, tellOwner } from './mail/tell-owner.ts';
import { createProcessor } from './mail/processing/create-processor.ts';
import type { Processor } from './mail/processing/processor.ts';
import { startProcessing } from './start-processing.ts';
import { createMailAccounts } from './mail/provider/create-mail-accounts.ts';
import { mailProviders } from './mail/mail-providers.ts';
import { openProviders } from './mail/provider/providers.ts';
import { startRunWebhooks } from './start-run-webhooks.ts';
import { createLogHandlers } from './rpc/logs/index.ts';
import { createNotificationHandlers } from './rpc/notifications/index.ts';
import { createSubscriptionHandlers } from './rpc/subscriptions/index.ts';
import { startClock } from './start-clock.ts';
import { startSchedules } from './start-schedules.ts';
import { createAgentCheck } from './mail/subscriptions/agent-check.ts';
import { createFailureCount } from './mail/watches/failure-count.ts';
import { startUpkeep } from './mail/watches/start-upkeep.ts';
import { createUpkeep, type Upkeep } from './mail/watches/upkeep.ts';

/** Subscriptions to mailboxes and schedules, which run agents. Webhooks of runs: their ends are told to others. */
export const webhooks = defineService({
  name: 'webhooks',
  database: { migrations: new URL('../migrations/', import.meta.url), jobs: true },
  settings,
  async start(host) {
    const { bus, log, mesh, metrics, resources, draining } = host;
    const db = await host.openDatabase();
    const jobs = resources.use(
      await openJobs({
        service: 'webhooks',
        db,
        tasks: [readMailboxTask, tellOwner, askByMail],
        log,
        metrics,
        draining,
      }),
    );
    const clock = await startClock(host, db);
    const wakeUpkeep = new Wake();
    const context = createContext(host, { db, clock, jobs, wakeUpkeep: () => wakeUpkeep.wake() });
    const processor = createProcessor(context, mesh);
    const upkeep = createUpkeep(context);
    resources.use(startUpkeep(upkeep, { wake: wakeUpkeep, log, draining }));
    await jobs.work(tellOwner, ownerTeller(context));
    mesh.serve(NotificationsService, createNotificationHandlers(context));
    mesh.serve(SubscriptionsService, createSubscriptionHandlers(context));
    mesh.serve(LogsService, createLogHandlers(context));
    await startProcessing(host, processor, startRunWebhooks(host, context));
    startSchedules(host, context);
    resources.defer(await bus.consume(AccountDeletedSchema, 'webhooks', onAccountDeleted(context)));
    resources.defer(await bus.subscribe(IntegrationConnectedSchema, onIntegrationConnected(context)));
    resources.defer(await bus.subscribe(IntegrationDisconnectedSchema, onIntegrationDisconnected(context)));

    return {
      ready: { database: () => db.ping() },
      optionalSiblings: { clock: async () => clock.check() },
      settle: () => settle(upkeep, processor),
    };
  },
});

function createContext(
  { config, log, mesh, metrics, resources }: Host<typeof settings>,
  { clock, ...parts }: Pick<Context, 'db' | 'clock' | 'jobs' | 'wakeUpkeep'>,
): Context {
  const mailAccounts = createMailAccounts(mesh.client(IntegrationsService), mailProviders);
  return {
    ...parts,
    config,
    log,
    clock,
    artifacts: mesh.client(ArtifactsService),
    auth: mesh.client(AuthService),
    notices: mesh.client(NoticesService),
    mailAccounts,
    providers: openProviders(mailProviders, { config, db: parts.db, clock, mailAccounts, resources }),
    checkAgent: createAgentCheck(mesh.client(AgentsService)),
    countFailure: createFailureCount(metrics),
    countNotifications: createNotificationCount(metrics),
  };
}

async function settle(upkeep: Upkeep, processor: Processor): Promise<void> {
  await upkeep.round();
  await keepProcessing(processor);
  await processor.jobs.settle();
}
