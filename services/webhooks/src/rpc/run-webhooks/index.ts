import { once } from '@agentmesh/lib/idempotency';
import { RunWebhooksService } from '@agentmesh/proto/webhooks/v1/run_webhooks';
import type { RunWebhooks } from '../../deliveries/run-webhooks.ts';
import type { RunWebhookHandlers } from './handlers.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listRunWebhooks } from './list-run-webhooks.ts';
import { registerRunWebhook } from './register-run-webhook.ts';
import { resendDelivery } from './resend-delivery.ts';

/** Every RPC about webhooks of runs. */
export function createRunWebhookHandlers(webhooks: RunWebhooks): RunWebhookHandlers {
  const { method } = RunWebhooksService;
  return {
    registerRunWebhook: registerRunWebhook(webhooks),
    listDeliveries: listDeliveries(webhooks),
    listRunWebhooks: listRunWebhooks(webhooks),
    resendDelivery: once(webhooks, method.resendDelivery, resendDelivery),
  };
}
