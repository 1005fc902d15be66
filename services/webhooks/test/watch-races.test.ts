import { createHash } from 'node:crypto';
import { databaseWith } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createUpkeep } from '../src/mail/watches/upkeep.ts';
import { connectNewAccount, driveSubscriptions } from './drive-subscriptions.ts';
import { openTestWebhooks, type TestWebhooks } from './open-test-webhooks.ts';

let webhooks: TestWebhooks;
let accountId: string;
beforeAll(async () => {
  webhooks = await openTestWebhooks();
});
afterAll(() => webhooks[Symbol.asyncDispose]());

beforeEach(async () => {
  accountId = await connectNewAccount(webhooks);
});

const { rows, created, atMicrosoft } = driveSubscriptions(() => ({ webhooks, accountId }));
const hour = 3_600_000;

/** Holds the next call for a token with which something is registered, until `meanwhile` is done. */
function stallRegistration(meanwhile: () => Promise<unknown>): void {
  const accessToken = webhooks.mailAccounts.accessToken.bind(webhooks.mailAccounts);
  webhooks.mailAccounts.accessToken = async (provider, mailAccount, options) => {
    const token = await accessToken(provider, mailAccount, options);
    if (mailAccount.integrationId !== undefined) return token;
    Object.assign(webhooks.mailAccounts, { accessToken });
    await meanwhile();
    return token;
  };
}

const hashOfPath = (url = '') =>
  createHash('sha256')
    .update(url.split('/').at(-1) ?? '')
    .digest();

test('a process that stalls for minutes before it registers a watch leaves the notifications of the one that took over valid', async () => {
  await created();
  await webhooks.clock.advance(60 * hour);
  for (const it of atMicrosoft()) webhooks.microsoft.forget(it);
  stallRegistration(async () => {
    await webhooks.clock.advance(181_000);
    await webhooks.replica().round();
  });
  await webhooks.replica().round();
  const [watch] = await rows('watches');
  const live = atMicrosoft().filter((it) => it.expiresAt > webhooks.clock.now());
  expect(live.map(({ id }) => id)).toEqual([watch?.['provider_id']]);
  expect(watch?.['path_token_hash']).toEqual(hashOfPath(live[0]?.notificationUrl));
});

test('a process that stalls for minutes does not move a watch that another one has registered with a new mail account', async () => {
  const { id } = await created();
  webhooks.mailAccounts.disconnect(accountId, 'microsoft');
  await webhooks.replica().round();
  webhooks.microsoft.addUser('ada@contoso.example');
  webhooks.mailAccounts.connect(accountId, 'microsoft', 'ada@contoso.example');
  stallRegistration(async () => {
    await webhooks.clock.advance(181_000);
    webhooks.mailAccounts.disconnect(accountId, 'microsoft');
    webhooks.mailAccounts.connect(accountId, 'microsoft', 'ada@contoso.example');
    await webhooks.replica().round();
  });
  await webhooks.clock.advance(hour);
  await webhooks.replica().round();
  const newest = await webhooks.mailAccounts.accessToken('microsoft', { accountId }, { fresh: false });
  const [{ watch_id: watchId } = { watch_id: 0n }] = await rows('subscriptions');
  const watch = (await rows('watches')).find((row) => row['id'] === watchId);
  expect(watch).toMatchObject({ state: 'active', integration_id: newest.integrationId });
  expect((await webhooks.client.getSubscription({ accountId, id })).subscription?.status).toBe('active');
});

test('a subscription that is enabled while upkeep finds that its watch needs nothing is registered at once', async () => {
  const { id } = await created();
  const set = (status: string) => webhooks.client.updateSubscription({ accountId, id, status });
  await set('disabled');
  await webhooks.upkeep.round();
  await webhooks.clock.advance(80 * hour);
  await set('active');
  await set('disabled');
  const { db } = webhooks.context;
  const query: typeof db.query = async (statement, ...rest) => {
    if (statement.name === 'update-watch-idle') {
      await webhooks.clock.advance(1_000);
      await set('active');
    }
    return db.query(statement, ...rest);
  };
  const upkeep = createUpkeep({ ...webhooks.context, db: databaseWith(db, { query }) });
  await upkeep.round();
  await upkeep.round();
  expect(atMicrosoft().filter((it) => it.expiresAt > webhooks.clock.now())).toHaveLength(1);
});
