import type { Host } from '@agentmesh/lib/service';
import { Wake } from '@agentmesh/lib/wait';
import { IntegrationConnectedSchema, IntegrationDisconnectedSchema } from '@agentmesh/proto/keys/v1/integrations';
import type { settings } from './config.ts';
import { createMailContext } from './create-mail-context.ts';
import type { DueWork } from './due-work.ts';
import type { RunWebhooks } from './deliveries/run-webhooks.ts';
import type { Context } from './mail/context.ts';
import { onIntegrationConnected } from './consumers/on-integration-connected.ts';
import { onIntegrationDisconnected } from './consumers/on-integration-disconnected.ts';
import { keepProcessing } from './jobs/keep-processing.ts';
import { createProcessor } from './mail/processing/create-processor.ts';
import type { Processor } from './mail/processing/processor.ts';
import { mailOwner, ownerMailer, ownerTeller, tellOwner } from './mail/tell-owner.ts';
import { startUpkeep } from './mail/watches/start-upkeep.ts';
import { createUpkeep, type Upkeep } from './mail/watches/upkeep.ts';
import { serveMail } from './rpc/serve-mail.ts';
import { startProcessing } from './start-processing.ts';

interface StartedMail {
  readonly context: Context;
  /** Does what is due now. */
  readonly settle: () => Promise<void>;
}

/** Serves subscriptions and their logs, takes notifications, keeps watches, and processes mail. */
export async function startMail(
  host: Host<typeof settings>,
  { due, ...parts }: Pick<Context, 'db' | 'clock' | 'jobs'> & { readonly due: DueWork },
  runWebhooks: RunWebhooks,
): Promise<StartedMail> {
  const { bus, log, mesh, resources, draining } = host;
  const wakeUpkeep = new Wake();
  const context = createMailContext(host, { ...parts, wakeUpkeep: () => wakeUpkeep.wake() });
  const processor = createProcessor(context, mesh);
  const upkeep = createUpkeep(context);
  resources.use(startUpkeep(upkeep, { wake: wakeUpkeep, log, draining }));
  await parts.jobs.work(tellOwner, ownerTeller(context));
  await parts.jobs.work(mailOwner, ownerMailer(context));
  serveMail(mesh, context);
  await startProcessing(host, processor, { webhooks: runWebhooks, due });
  resources.defer(await bus.subscribe(IntegrationConnectedSchema, onIntegrationConnected(context)));
  resources.defer(await bus.subscribe(IntegrationDisconnectedSchema, onIntegrationDisconnected(context)));
  return { context, settle: () => settle(upkeep, processor) };
}

async function settle(upkeep: Upkeep, processor: Processor): Promise<void> {
  await upkeep.round();
  await keepProcessing(processor);
  await processor.jobs.settle();
}
