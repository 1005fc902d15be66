import type { RunWebhooksService } from '@agentmesh/proto/webhooks/v1/run_webhooks';
import type { ServiceImpl } from '@connectrpc/connect';

/** The handler of every RPC about webhooks of runs, by its name. */
export type RunWebhookHandlers = ServiceImpl<typeof RunWebhooksService>;
