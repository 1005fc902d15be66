import { type App, type Context, unary } from '../../context.ts';
import { failures, Problem } from '../../edge/records/problem.ts';
import { addChanges } from './subscription-changes.ts';
import { subscriptionJson } from './subscription-json.ts';
import { SubscriptionPath, WebhookSubscription, WebhookSubscriptionList } from './subscription-record.ts';

const path = '/api/webhooks/subscriptions';
const tags = ['webhooks'];

/** Subscriptions of the caller's account. */
export function addSubscriptions(app: App, context: Context): void {
  addReads(app, context);
  addChanges(app, context);
}

function addReads(app: App, { subscriptions, authentication }: Context): void {
  const guard = { preValidation: authentication.account, config: { scope: 'webhooks:read' } } as const;
  app.get(
    path,
    {
      ...guard,
      schema: {
        tags,
        operationId: 'listWebhookSubscriptions',
        summary: 'List subscriptions',
        description: 'All subscriptions of the account, oldest first. An account has at most 1,000.',
        response: { 200: WebhookSubscriptionList, ...failures },
      },
    },
    async ({ identity: { accountId } }) => {
      const listed = await subscriptions.listSubscriptions({ accountId }, unary);
      return { subscriptions: listed.subscriptions.map(subscriptionJson) };
    },
  );
  app.get(
    `${path}/:id`,
    {
      ...guard,
      schema: {
        tags,
        operationId: 'getWebhookSubscription',
        summary: 'Get a subscription',
        description: 'One subscription of the account.',
        params: SubscriptionPath,
        response: { 200: WebhookSubscription, 404: Problem, ...failures },
      },
    },
    async ({ identity: { accountId }, params: { id } }) =>
      subscriptionJson((await subscriptions.getSubscription({ accountId, id }, unary)).subscription),
  );
}
