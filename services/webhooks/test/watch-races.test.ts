import { createHash, randomUUID } from 'node:crypto';
import type { Database, Queryable } from '@agentmesh/lib/pg';
import { databaseWith } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createUpkeep } from '../src/mail/watches/upkeep.ts';
import { planLifecycle } from '../src/store/notified.ts';
import { planRearming } from '../src/store/watches/watch-plans.ts';
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

/** Does something after the next answer of Microsoft to a renewal, before that is written. */
function afterRenewal(meanwhile: () => Promise<unknown>): void {
  const microsoft = webhooks.context.providers.of('microsoft');
  const renew = microsoft.renew.bind(microsoft);
  vi.spyOn(microsoft, 'renew').mockImplementationOnce(async (watch) => {
    const registration = await renew(watch);
    await meanwhile();
    return registration;
  });
}

const queryAfter =
  (db: Queryable, name: string, meanwhile: () => Promise<unknown>): Queryable['query'] =>
  async (statement, ...rest) => {
    if (statement.name === name) await meanwhile();
    return db.query(statement, ...rest);
  };

/** Does something before the first statement of this name in the transaction of the next change. */
function duringChange(name: string, meanwhile: () => Promise<unknown>): void {
  const { db } = webhooks.context;
  const within = db.within.bind(db);
  const first = vi.fn<() => Promise<unknown>>(() => Promise.resolve()).mockImplementationOnce(meanwhile);
  vi.spyOn(db, 'within').mockImplementationOnce((call) => {
    const own = within(call);
    const transaction: Database['transaction'] = (work) =>
      own.transaction((tx) => work({ ...tx, query: queryAfter(tx, name, first) }));
    return databaseWith(own, { transaction });
  });
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
  const enable = async () => {
    await webhooks.clock.advance(1_000);
    await set('active');
  };
  const query = queryAfter(db, 'update-watch-idle', enable);
  const upkeep = createUpkeep({ ...webhooks.context, db: databaseWith(db, { query }) });
  await upkeep.round();
  await upkeep.round();
  expect(atMicrosoft().filter((it) => it.expiresAt > webhooks.clock.now())).toHaveLength(1);
});

test('a renewal that Microsoft asks for before the one that is being made is written is made, too', async () => {
  await created();
  await webhooks.clock.advance(60 * hour);
  afterRenewal(async () => {
    await webhooks.clock.advance(1_000);
    const [watch] = await rows('watches');
    const now = webhooks.clock.now();
    const values = { accountId, id: watch?.['id'], missedSince: now, now };
    await planLifecycle(webhooks.context.db, { ...values, event: 'reauthorizationRequired' });
  });
  const before = webhooks.microsoft.graph.callsOf('PATCH', /subscriptions/).length;
  await webhooks.replica().round();
  expect(webhooks.microsoft.graph.callsOf('PATCH', /subscriptions/).length - before).toBe(2);
});

test('a subscription that Microsoft removes before its renewal is written is registered again', async () => {
  await created();
  await webhooks.clock.advance(60 * hour);
  afterRenewal(async () => {
    for (const it of atMicrosoft()) webhooks.microsoft.forget(it);
    const [watch] = await rows('watches');
    const now = webhooks.clock.now();
    const values = { accountId, id: watch?.['id'], missedSince: now, now };
    await planLifecycle(webhooks.context.db, { ...values, event: 'subscriptionRemoved' });
  });
  await webhooks.replica().round();
  await webhooks.replica().round();
  expect(atMicrosoft()).toHaveLength(1);
  expect(await rows('watches')).toMatchObject([{ state: 'active', provider_id: atMicrosoft()[0]?.id }]);
});

test('a slow stop of the watch of a Gmail mailbox leaves it watched when it was connected again meanwhile', async () => {
  const address = 'ada@gmail.example';
  const { context, clock, google, mailAccounts } = webhooks;
  await created({ provider: 'google_gmail' });
  mailAccounts.disconnect(accountId, 'google');
  const accessToken = mailAccounts.accessToken.bind(mailAccounts);
  const released = Promise.withResolvers<void>();
  mailAccounts.accessToken = async (provider, mailAccount, options) => {
    const token = await accessToken(provider, mailAccount, options);
    if (mailAccount.integrationId === undefined) return token;
    Object.assign(mailAccounts, { accessToken });
    await released.promise;
    return token;
  };
  const slow = webhooks.replica().round();
  await vi.waitFor(async () => expect(await rows('watches')).toMatchObject([{ failures: 2 }, { state: 'ending' }]), {
    timeout: 5_000,
  });
  mailAccounts.connect(accountId, 'google', address);
  await planRearming(context.db, { accountId, provider: 'google', now: clock.now() });
  await webhooks.replica().round();
  expect(google.world.mailboxOf(address).watch).toBeDefined();
  released.resolve();
  await slow;
  expect(google.gmail.callsOf('POST', '/gmail/v1/users/me/stop')).toHaveLength(1);
  expect(google.world.mailboxOf(address).watch).toMatchObject({ labelIds: ['INBOX'] });
  expect(await rows('watches')).toMatchObject([{ state: 'active', next_attempt_at: null }]);
});

test('a renewal of a subscription that is deleted meanwhile is answered at once that there is none', async () => {
  const { id } = await created();
  const { db } = webhooks.context;
  const remove = () => webhooks.client.deleteSubscription({ accountId, id });
  const first = vi.fn<() => Promise<unknown>>(() => Promise.resolve()).mockImplementationOnce(remove);
  const query = queryAfter({ query: db.query.bind(db) }, 'claim-watch', first);
  const spy = vi.spyOn(db, 'query').mockImplementation(query);
  const renewing = webhooks.client.renewSubscription({ accountId, id });
  await expect(renewing).rejects.toMatchObject({ reason: 'subscription_not_found' });
  spy.mockRestore();
  expect(await rows('watches')).toEqual([]);
});

test('a renewal of a deleted subscription leaves the watches that other accounts have of its mailbox free', async () => {
  const { context, client, mailAccounts } = webhooks;
  const { id } = await created({ provider: 'google_gmail' });
  const other = randomUUID();
  mailAccounts.connect(other, 'google', 'ada@gmail.example');
  await client.createSubscription({ accountId: other, agentId: 7, provider: 'google_gmail' });
  const transaction = context.db.transaction.bind(context.db);
  vi.spyOn(context.db, 'transaction').mockImplementationOnce(async (work) => {
    await client.deleteSubscription({ accountId, id });
    return transaction(work);
  });
  const renewing = client.renewSubscription({ accountId, id });
  await expect(renewing).rejects.toMatchObject({ reason: 'subscription_not_found' });
  expect(await rows('watches')).toMatchObject([{ account_id: other, state: 'active', claim: null }]);
});

test('a renewal of a Gmail subscription whose mail account gets another address meanwhile is made', async () => {
  const { context, client, clock, mailAccounts } = webhooks;
  const { id } = await created({ provider: 'google_gmail' });
  mailAccounts.expire(accountId, 'google');
  await expect(client.renewSubscription({ accountId, id })).rejects.toThrow();
  mailAccounts.connect(accountId, 'google', 'ada@gmail.example');
  mailAccounts.rename(accountId, 'google', 'ada@moved.example');
  const transaction = context.db.transaction.bind(context.db);
  const move = vi.spyOn(context.db, 'transaction').mockImplementationOnce(async (work) => {
    await planRearming(context.db, { accountId, provider: 'google', now: clock.now() });
    await webhooks.replica().round();
    return transaction(work);
  });
  const { subscription } = await client.renewSubscription({ accountId, id });
  move.mockRestore();
  expect(subscription).toMatchObject({ status: 'active', mailbox: 'ada@moved.example' });
});

describe('other change types of a failing subscription are registered', () => {
  let id: number;
  const change = () => webhooks.client.updateSubscription({ accountId, id, changeType: 'deleted' });
  const fail = async (): Promise<void> => {
    id = (await created()).id;
    webhooks.microsoft.graph.fault({ method: 'PATCH', times: 2, action: { status: 401, body: {} } });
    await expect(webhooks.client.renewSubscription({ accountId, id })).rejects.toThrow();
    await webhooks.clock.advance(60_000);
  };
  beforeEach(fail);

  const expectChanged = async (): Promise<void> => {
    await webhooks.replica().round();
    const [registered, ...others] = atMicrosoft();
    expect([registered?.changeTypes, others]).toEqual([['deleted'], []]);
    const shown = (await webhooks.client.getSubscription({ accountId, id })).subscription;
    expect(shown).toMatchObject({ status: 'active', changeType: 'deleted', subscriptionId: registered?.id });
  };

  test('when they are changed before its renewal is written', async () => {
    afterRenewal(change);
    await webhooks.replica().round();
    await expectChanged();
  });

  test('when they are changed before its new registration with the former ones is written', async () => {
    for (const it of atMicrosoft()) webhooks.microsoft.forget(it);
    webhooks.microsoft.rules.beforeAnswer = async () => {
      webhooks.microsoft.rules.beforeAnswer = () => Promise.resolve();
      await change();
    };
    await webhooks.replica().round();
    await expectChanged();
  });

  test('when its renewal is written during the change', async () => {
    duringChange('forget-registration', () => webhooks.replica().round());
    await change();
    await expectChanged();
  });

  test('by a manual renewal that has read the former ones', async () => {
    const { db } = webhooks.context;
    const first = vi.fn<() => Promise<unknown>>(() => Promise.resolve()).mockImplementationOnce(change);
    const query = queryAfter({ query: db.query.bind(db) }, 'claim-watch', first);
    const spy = vi.spyOn(db, 'query').mockImplementation(query);
    await webhooks.client.renewSubscription({ accountId, id });
    spy.mockRestore();
    await expectChanged();
  });
});
