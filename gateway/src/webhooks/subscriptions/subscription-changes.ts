import type { App, Context } from '../../context.ts';
import { unary } from '../../context.ts';
import { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../../edge/idempotency/keyed-call.ts';
import { throwNamingField } from './subscription-fault.ts';
import { subscriptionJson } from './subscription-json.ts';
import { changeMessage, creationMessage } from './subscription-message.ts';
import {
  CreateSubscriptionRequest,
  SubscriptionDeleted,
  SubscriptionPath,
  UpdateSubscriptionRequest,
  WebhookSubscription,
} from './subscription-record.ts';
import { writes } from '../webhook-family.ts';

const path = '/api/webhooks/subscriptions';
/** The mail provider calls back during these calls. */
const registering = { timeoutMs: 90_000 } as const;

/** Routes that create, change, renew and delete subscriptions. */
export function addChanges(app: App, context: Context): void {
  addCreation(app, context);
  addUpdate(app, context);
  addRenewal(app, context);
  addDeletion(app, context);
}

function addCreation(app: App, { subscriptions, authentication }: Context): void {
  app.post(
    path,
    writes(authentication, {
      operationId: 'createWebhookSubscription',
      summary: 'Subscribe to a mailbox',
      description:
        'From now on, mail that arrives in the connected mailbox runs the agent. Answered 400 `integration_missing` unless a mail account is connected, and 401 `integration_reconnect_required` (without `WWW-Authenticate`) when it has to be connected again.',
      headers: IdempotencyKey,
      body: CreateSubscriptionRequest,
      response: { 201: WebhookSubscription },
      refusals: [403, 404, 502],
    }),
    async (request, reply) => {
      const wanted = { accountId: request.identity.accountId, ...creationMessage(request.body) };
      const call = keyedCall(request, reply, registering.timeoutMs);
      const created = await subscriptions.createSubscription(wanted, call).catch(throwNamingField);
      markReplayed(reply, created);
      return reply.code(201).send(subscriptionJson(created.subscription));
    },
  );
}

function addUpdate(app: App, { subscriptions, authentication }: Context): void {
  app.patch(
    `${path}/:id`,
    writes(authentication, {
      operationId: 'updateWebhookSubscription',
      summary: 'Change a subscription',
      description: 'Changes the fields that are sent. Other change types at Outlook are registered at once.',
      params: SubscriptionPath,
      headers: IdempotencyKey,
      body: UpdateSubscriptionRequest,
      response: { 200: WebhookSubscription },
      refusals: [403, 404, 502],
    }),
    async (request, reply) => {
      const { identity, params, body } = request;
      const change = { accountId: identity.accountId, id: Number(params.id), ...changeMessage(body) };
      const call = keyedCall(request, reply, registering.timeoutMs);
      const changed = await subscriptions.updateSubscription(change, call).catch(throwNamingField);
      markReplayed(reply, changed);
      return subscriptionJson(changed.subscription);
    },
  );
}

function addRenewal(app: App, { subscriptions, authentication }: Context): void {
  app.post(
    `${path}/:id/renew`,
    writes(authentication, {
      operationId: 'renewWebhookSubscription',
      summary: 'Renew a subscription',
      description:
        'Extends it at the provider now, and registers it again when the provider has forgotten it. Subscriptions are also renewed by themselves. Answered 410 when the provider does not accept it any more; it is deleted then.',
      params: SubscriptionPath,
      response: { 200: WebhookSubscription },
      refusals: [400, 403, 404, 410, 413, 502],
    }),
    async ({ identity: { accountId }, params: { id } }) => {
      const { subscription } = await subscriptions.renewSubscription({ accountId, id: Number(id) }, registering);
      return subscriptionJson(subscription);
    },
  );
}

function addDeletion(app: App, { subscriptions, authentication }: Context): void {
  app.delete(
    `${path}/:id`,
    writes(authentication, {
      operationId: 'deleteWebhookSubscription',
      summary: 'Delete a subscription',
      description:
        'No mail runs the agent any more. It is ended at the provider, in the background if that fails at first. Its logs stay.',
      params: SubscriptionPath,
      response: { 200: SubscriptionDeleted },
      refusals: [404],
    }),
    async ({ identity: { accountId }, params: { id } }) => {
      await subscriptions.deleteSubscription({ accountId, id: Number(id) }, unary);
      return { success: true, message: `Subscription ${Number(id)} deleted.` };
    },
  );
}
