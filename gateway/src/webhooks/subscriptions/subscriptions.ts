import { type App, type Context, unary } from '../../context.ts';
import { addChanges } from './subscription-changes.ts';
import { subscriptionJson } from './subscription-json.ts';
import { SubscriptionPath, WebhookSubscription, WebhookSubscriptionList } from './subscription-record.ts';
import { reads } from '../webhook-family.ts';

const path = '/api/webhooks/subscriptions';

/** Subscriptions of the caller's account. */
export function addSubscriptions(app: App, context: Context): void {
  addReads(app, context);
  addChanges(app, context);
}

function addReads(app: App, { subscriptions, authentication }: Context): void {
  app.get(
    path,
    reads(authentication, {
      operationId: 'listWebhookSubscriptions',
      summary: 'List subscriptions',
      description: 'All subscriptions of the account, oldest first. An account has at most 1,000.',
      response: { 200: WebhookSubscriptionList },
    }),
    async ({ identity: { accountId } }) => {
      const listed = await subscriptions.listSubscriptions({ accountId }, unary);
      return { subscriptions: listed.subscriptions.map(subscriptionJson) };
    },
  );
  app.get(
    `${path}/:id`,
    reads(authentication, {
      operationId: 'getWebhookSubscription',
      summary: 'Get a subscription',
      description: 'One subscription of the account.',
      params: SubscriptionPath,
      response: { 200: WebhookSubscription },
      refusals: [404],
    }),
    async ({ identity: { accountId }, params: { id } }) =>
      subscriptionJson((await subscriptions.getSubscription({ accountId, id }, unary)).subscription),
  );
}
