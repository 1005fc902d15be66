import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { TestWebhooks } from './open-test-webhooks.ts';

/** Mailbox of the account at Microsoft. */
export const ada = 'ada@contoso.example';
const adaAtGoogle = 'ada@gmail.example';

/** Resets both providers and deletes all subscriptions. Returns a new account with a mailbox at each provider. */
export async function connectNewAccount(webhooks: TestWebhooks): Promise<string> {
  const accountId = randomUUID();
  const { microsoft, google, mailAccounts, context } = webhooks;
  microsoft.reset();
  google.reset();
  microsoft.delivery = 'keep';
  google.delivery = 'keep';
  microsoft.addUser(ada);
  google.addUser(adaAtGoogle);
  mailAccounts.connect(accountId, 'microsoft', ada);
  mailAccounts.connect(accountId, 'google', adaAtGoogle);
  for (const table of ['subscriptions', 'watches']) await context.db.query({ text: `delete from ${table}` });
  return accountId;
}

/** Steps of tests with subscriptions. `present` is called at each step, because each test has an account of its own. */
export function driveSubscriptions(present: () => { webhooks: TestWebhooks; accountId: string }) {
  const create = (request: object = {}) => {
    const { webhooks, accountId } = present();
    const usual = { accountId, agentId: 7, provider: 'microsoft_outlook' };
    return webhooks.client.createSubscription({ ...usual, ...request });
  };
  return {
    create,
    created: async (request: object = {}) => (await create(request)).subscription ?? expect.fail('nothing was created'),
    rows: (table: string) => present().webhooks.context.db.query({ text: `select * from ${table} order by id` }),
    atMicrosoft: () => [...present().webhooks.microsoft.world.subscriptions.values()],
  };
}
