import { type Host, startJob } from '@agentmesh/lib/service';
import { Wake } from '@agentmesh/lib/wait';
import { RunWebhooksService } from '@agentmesh/proto/webhooks/v1/run_webhooks';
import type { settings } from './config.ts';
import type { Context } from './mail/context.ts';
import { createCheckRunWebhooks } from './jobs/check-run-webhooks.ts';
import { createRunWebhookHandlers } from './rpc/run-webhooks/index.ts';
import { createRunWebhooks } from './deliveries/create-run-webhooks.ts';
import type { DueWork } from './due-work.ts';
import type { RunWebhooks } from './deliveries/run-webhooks.ts';
import { startDeliveries } from './deliveries/start-deliveries.ts';

type Parts = Pick<Context, 'db' | 'clock'> & { readonly due: DueWork };

/** Serves webhooks of runs, and delivers their messages. */
export function startRunWebhooks(host: Host<typeof settings>, { due, ...context }: Parts): RunWebhooks {
  const { mesh, log, draining, resources } = host;
  const wake = new Wake();
  const webhooks = createRunWebhooks(host, { ...context, wakeDeliveries: () => wake.wake() });
  mesh.serve(RunWebhooksService, createRunWebhookHandlers(webhooks));
  resources.use(startDeliveries(webhooks, { wake, isDue: () => due.has('deliveries'), log, draining }));
  resources.use(startJob(createCheckRunWebhooks(webhooks, due), host));
  return webhooks;
}
