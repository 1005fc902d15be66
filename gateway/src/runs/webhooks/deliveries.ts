import { MeshError } from '@agentmesh/lib/rpc';
import type { Delivery } from '@agentmesh/proto/webhooks/v1/run_webhooks';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../../edge/idempotency/keyed-call.ts';
import { namedRun, RunPath, RunPlace } from '../ledger/run-paths.ts';
import { DeliveryPath, WebhookDelivery } from './webhook-record.ts';
import { readsOfRun, writesOfRun } from '../run-family.ts';

/** Routes of the messages that the webhook of a run has sent. */
export function deliveryRoutes(app: App, context: Context): void {
  addList(app, context);
  addResend(app, context);
}

function addList(app: App, { runWebhooks, authentication }: Context): void {
  app.get(
    '/runs/:invocation_id/webhook/deliveries',
    readsOfRun(authentication, {
      operationId: 'listRunWebhookDeliveries',
      summary: "List the messages of a run's webhook",
      description: 'The newest 100, newest first, with what became of each.',
      params: RunPath,
      querystring: RunPlace,
      response: { 200: Type.Array(WebhookDelivery) },
      refusals: [404],
    }),
    async (request) => {
      const { deliveries } = await runWebhooks.listDeliveries(namedRun(request), unary);
      return deliveries.map(deliveryJson);
    },
  );
}

function addResend(app: App, { runWebhooks, authentication }: Context): void {
  app.post(
    '/runs/:invocation_id/webhook/deliveries/:delivery_id/resend',
    writesOfRun(authentication, {
      operationId: 'resendRunWebhookDelivery',
      summary: "Send a message of a run's webhook again",
      description: 'With the same id and body, whatever became of it. It is tried for another three days.',
      params: DeliveryPath,
      querystring: RunPlace,
      headers: IdempotencyKey,
      response: { 202: WebhookDelivery },
      refusals: [400, 404, 413],
    }),
    async (request, reply) => {
      const wanted = { ...namedRun(request), deliveryId: request.params.delivery_id };
      const resent = await runWebhooks.resendDelivery(wanted, keyedCall(request, reply));
      const { delivery } = resent;
      markReplayed(reply, resent);
      if (delivery === undefined) throw new MeshError('internal', 'delivery_missing', 'No delivery was returned.');
      reply.code(202);
      return deliveryJson(delivery);
    },
  );
}

export function deliveryJson(delivery: Delivery): WebhookDelivery {
  const { id, type, attempts, createTime, lastAttemptTime, nextAttemptTime, responseStatus, error } = delivery;
  return {
    id,
    type,
    status: delivery.status as WebhookDelivery['status'],
    attempts,
    createTime,
    ...(lastAttemptTime > 0 && { lastAttemptTime }),
    ...(nextAttemptTime > 0 && { nextAttemptTime }),
    ...(responseStatus > 0 && { responseStatus }),
    ...(error !== '' && { error }),
  };
}
