import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { IntegrationConnectedSchema, MailProvider } from '@agentmesh/proto/keys/v1/integrations';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { onIntegrationConnected } from '../src/consumers/on-integration-connected.ts';
import { mailOwner, ownerMailer, ownerTeller, tellOwner } from '../src/mail/tell-owner.ts';
import { openTestWebhooks, type TestWebhooks } from './open-test-webhooks.ts';

let webhooks: TestWebhooks;
let accountId: string;
let id: number;
beforeAll(async () => {
  webhooks = await openTestWebhooks();
});
afterAll(() => webhooks[Symbol.asyncDispose]());

const ada = 'ada@contoso.example';
const hour = 3_600_000;
const at = (method: string) => webhooks.microsoft.graph.callsOf(method, /^\/v1\.0\/subscriptions/);
const live = () =>
  [...webhooks.microsoft.world.subscriptions.values()].filter((it) => it.expiresAt > webhooks.clock.now());
const shown = async () =>
  (await webhooks.client.getSubscription({ accountId, id })).subscription ?? expect.fail('it is gone');
const catchUps = () =>
  webhooks.context.db.query<{ catch_up_from: Date | null }>({ text: 'select catch_up_from from watches order by id' });

/** Tells the owner what is to be told. */
async function tell(): Promise<void> {
  await webhooks.context.jobs.drain(tellOwner, ownerTeller(webhooks.context));
  await webhooks.context.jobs.drain(mailOwner, ownerMailer(webhooks.context));
}

/** Lets time pass as replicas see it: rounds every minute. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 60_000) {
    await webhooks.clock.advance(Math.min(left, 60_000));
    await webhooks.upkeep.round();
  }
}

/** Has the owner connect the mailbox again while the next attempt, whose token is refused, has not written that yet. */
function connectDuringRefusal(): void {
  const accessToken = webhooks.mailAccounts.accessToken.bind(webhooks.mailAccounts);
  webhooks.mailAccounts.accessToken = async (...args) => {
    Object.assign(webhooks.mailAccounts, { accessToken });
    const refused = await accessToken(...args).then(
      () => expect.fail('it is connected'),
      (error: unknown) => error,
    );
    webhooks.mailAccounts.connect(accountId, 'microsoft', ada);
    await webhooks.clock.advance(1000);
    const connected = create(IntegrationConnectedSchema, { accountId, provider: MailProvider.MICROSOFT });
    await onIntegrationConnected(webhooks.context)(connected, { sender: 'keys' });
    throw refused;
  };
}

beforeEach(async () => {
  accountId = randomUUID();
  webhooks.microsoft.reset();
  webhooks.microsoft.delivery = 'keep';
  webhooks.microsoft.addUser(ada);
  webhooks.mailAccounts.connect(accountId, 'microsoft', ada);
  webhooks.failures.length = 0;
  webhooks.notices.length = 0;
  webhooks.added.length = 0;
  for (const table of ['subscriptions', 'watches']) await webhooks.context.db.query({ text: `delete from ${table}` });
  const { subscription } = await webhooks.client.createSubscription({
    accountId,
    agentId: 7,
    provider: 'vendora_mail',
  });
  id = subscription?.id ?? 0;
});

test('a registration is renewed within the window before it expires, once', async () => {
  await pass(58 * hour);
  expect(at('PATCH')).toEqual([]);
  await pass(7 * hour);
  expect(at('PATCH')).toHaveLength(1);
  expect((await shown()).expireTime).toBeGreaterThan(webhooks.clock.now().getTime() / 1000 + 60 * 3600);
});

test('a replica that starts renews at once what expires soon', async () => {
  await webhooks.clock.advance(60 * hour);
  await webhooks.replica().round();
  expect(at('PATCH')).toHaveLength(1);
});

test('replicas that look at the same time renew each registration once', async () => {
  await webhooks.clock.advance(60 * hour);
  await Promise.all(Array.from({ length: 5 }, () => webhooks.replica().round()));
  expect(at('PATCH')).toHaveLength(1);
});

test('a renewal whose replica died is done by another one', async () => {
  await webhooks.clock.advance(60 * hour);
  const now = webhooks.clock.now();
  const { db } = webhooks.context;
  const claim = `update watches set next_attempt_at = $1, claim = gen_random_uuid(), claimed_until = $2`;
  await db.query({ text: claim }, [now, new Date(now.getTime() + 180_000)]);
  await webhooks.replica().round();
  expect(at('PATCH')).toEqual([]);
  await webhooks.clock.advance(181_000);
  await webhooks.replica().round();
  expect(at('PATCH')).toHaveLength(1);
});

test('an answer to a renewal that cannot be read is no success', async () => {
  const action = { status: 200, body: '{"value": [' };
  webhooks.microsoft.graph.fault({ method: 'PATCH', action });
  await webhooks.clock.advance(60 * hour);
  await webhooks.replica().round();
  expect(webhooks.failures).toEqual(['microsoft unavailable']);
  await tell();
});

describe('a failed renewal', () => {
  test('is tried again with growing pauses, while the subscription stays active and shows why', async () => {
    webhooks.microsoft.graph.fault({ method: 'PATCH', times: 5, action: { status: 503, body: {} } });
    await webhooks.clock.advance(60 * hour);
    await webhooks.replica().round();
    expect(await shown()).toMatchObject({ status: 'active', lastError: 'The mail provider does not answer.' });
    await tell();
    await pass(2 * hour);
    expect(at('PATCH')).toHaveLength(6);
    expect((await shown()).lastError).toBeUndefined();
    expect(webhooks.failures).toEqual(Array(5).fill('microsoft unavailable'));
    await tell();
    expect(webhooks.notices).toEqual([accountId]);
    const title = `Mail at ${ada} may not run your agents`;
    expect(webhooks.added).toMatchObject([{ accountId, type: 'subscription_failing', title }]);
  });

  test('is tried again no sooner than the provider asks', async () => {
    const body = { error: { code: 'TooManyRequests', message: 'x' } };
    const headers = { 'retry-after': '3600' };
    webhooks.microsoft.graph.fault({ method: 'PATCH', action: { status: 429, body, headers } });
    await webhooks.clock.advance(60 * hour);
    await webhooks.replica().round();
    await pass(50 * 60_000);
    expect(at('PATCH')).toHaveLength(1);
    await pass(11 * 60_000);
    expect(at('PATCH')).toHaveLength(2);
  });

  test('makes a subscription expired only when it really is, and it is registered again and caught up later', async () => {
    const registeredAt = webhooks.clock.now();
    webhooks.microsoft.graph.fault({ method: 'PATCH', times: 1e9, action: 'drop' });
    webhooks.microsoft.graph.fault({ method: 'POST', times: 10, action: 'drop' });
    await pass(70 * hour);
    expect((await shown()).status).toBe('active');
    await pass(hour);
    expect((await shown()).status).toBe('expired');
    await pass(6 * hour);
    expect(await shown()).toMatchObject({ status: 'active', subscriptionId: live()[0]?.id });
    expect(await catchUps()).toEqual([{ catch_up_from: registeredAt }]);
  });
});

test('a registration that the provider has forgotten is made again, and the mailbox is caught up', async () => {
  const registeredAt = webhooks.clock.now();
  const { subscriptionId } = await shown();
  for (const it of live()) webhooks.microsoft.forget(it);
  await pass(65 * hour);
  const again = await shown();
  expect(again).toMatchObject({ status: 'active', subscriptionId: live()[0]?.id });
  expect(again.subscriptionId).not.toBe(subscriptionId);
  expect(await catchUps()).toEqual([{ catch_up_from: registeredAt }]);
});

test('a mail account that has to be connected again is an error, and its subscription works again when it is connected', async () => {
  webhooks.mailAccounts.expire(accountId, 'microsoft');
  await webhooks.clock.advance(60 * hour);
  webhooks.microsoft.world.authorization.expireAccess(ada);
  await webhooks.upkeep.round();
  expect(await shown()).toMatchObject({ status: 'error', lastError: expect.stringContaining('connected again') });
  webhooks.mailAccounts.connect(accountId, 'microsoft', ada);
  await pass(61 * 60_000);
  expect((await shown()).status).toBe('active');
  expect(live().map((it) => it.id)).toContain((await shown()).subscriptionId);
});

test('a mail account that is connected again while its first refusal is being written is tried at once', async () => {
  webhooks.mailAccounts.expire(accountId, 'microsoft');
  await webhooks.clock.advance(60 * hour);
  webhooks.microsoft.world.authorization.expireAccess(ada);
  connectDuringRefusal();
  await webhooks.replica().round();
  await webhooks.replica().round();
  expect(await shown()).toMatchObject({ status: 'active', subscriptionId: live()[0]?.id });
});

test('an access token that the provider refuses is replaced once; when it refuses that one too, the subscription is an error until a token works', async () => {
  await webhooks.clock.advance(60 * hour);
  const before = webhooks.mailAccounts.fresh;
  webhooks.microsoft.graph.fault({ method: 'PATCH', times: 2, action: { status: 401, body: {} } });
  await expect(webhooks.client.renewSubscription({ accountId, id })).rejects.toMatchObject({
    reason: 'integration_reconnect_required',
  });
  expect(webhooks.mailAccounts.fresh - before).toBe(1);
  const lastError = expect.stringContaining('Connect the mail account again');
  expect(await shown()).toMatchObject({ status: 'error', lastError });
  const registered = (await shown()).subscriptionId;
  webhooks.mailAccounts.connect(accountId, 'microsoft', ada);
  await pass(60_000);
  // It was still registered: no second registration is made, and none is lost.
  expect(await shown()).toMatchObject({ status: 'active', subscriptionId: registered });
  expect(live().map((it) => it.id)).toEqual([registered]);
  expect(at('POST')).toHaveLength(1);
});

describe('a mail account that its owner disconnects', () => {
  test('has its registrations ended, then its tokens deleted; its subscriptions work again when it is connected again', async () => {
    webhooks.microsoft.graph.fault({ method: 'DELETE', times: 2, action: { status: 503, body: {} } });
    webhooks.mailAccounts.disconnect(accountId, 'microsoft');
    await webhooks.replica().round();
    expect(await webhooks.mailAccounts.listEnding()).toHaveLength(1);
    await pass(5 * 60_000);
    expect(live()).toEqual([]);
    expect(await webhooks.mailAccounts.listEnding()).toEqual([]);
    expect(await shown()).toMatchObject({ status: 'error', lastError: expect.stringContaining('not connected') });
    webhooks.mailAccounts.connect(accountId, 'microsoft', ada);
    await pass(2 * hour);
    expect(await shown()).toMatchObject({ status: 'active', subscriptionId: live()[0]?.id });
    expect(await catchUps()).toEqual([{ catch_up_from: null }]);
  });

  test('and connects again while its refusal is being written, is tried at once and not an hour later', async () => {
    webhooks.mailAccounts.disconnect(accountId, 'microsoft');
    await webhooks.replica().round();
    await webhooks.clock.advance(2 * hour);
    connectDuringRefusal();
    await webhooks.replica().round();
    await webhooks.replica().round();
    expect(await shown()).toMatchObject({ status: 'active', subscriptionId: live()[0]?.id });
  });

  test('and who connects another one, is told that its subscriptions do not move there; they work when the first is connected again', async () => {
    webhooks.microsoft.addUser('other@contoso.example');
    webhooks.mailAccounts.connect(accountId, 'microsoft', 'other@contoso.example');
    await webhooks.replica().round();
    expect(await webhooks.mailAccounts.listEnding()).toEqual([]);
    const lastError = expect.stringContaining('Another mailbox is connected now');
    expect(await shown()).toMatchObject({ status: 'error', mailbox: ada, lastError });
    expect(live()).toEqual([]);
    await expect(webhooks.client.renewSubscription({ accountId, id })).rejects.toMatchObject({
      code: 'failed_precondition',
      reason: 'integration_other_mailbox',
    });
    await pass(2 * hour);
    expect(live()).toEqual([]);
    await tell();
    const told = webhooks.added.filter((notice) => notice.accountId === accountId);
    expect(told).toMatchObject([{ title: expect.stringContaining(ada) }]);
    webhooks.mailAccounts.connect(accountId, 'microsoft', ada);
    await pass(2 * hour);
    expect(await shown()).toMatchObject({ status: 'active', mailbox: ada, subscriptionId: live()[0]?.id });
    expect(live().map(({ user }) => user.address)).toEqual([ada]);
  });

  test('and who connects another one before its registrations have ended, changes no subscription to it', async () => {
    webhooks.microsoft.addUser('other@contoso.example');
    webhooks.mailAccounts.connect(accountId, 'microsoft', 'other@contoso.example');
    const change = webhooks.client.updateSubscription({ accountId, id, changeType: 'created,updated' });
    await expect(change).rejects.toMatchObject({ reason: 'integration_other_mailbox' });
    expect(live().map(({ user }) => user.address)).toEqual([ada]);
  });
});

test('a mail account whose address changes keeps its subscriptions', async () => {
  await pass(60_000);
  webhooks.mailAccounts.rename(accountId, 'microsoft', 'ada@fabrikam.example');
  for (const subscription of live()) webhooks.microsoft.forget(subscription);
  expect((await webhooks.client.renewSubscription({ accountId, id })).subscription).toMatchObject({
    status: 'active',
    mailbox: 'ada@fabrikam.example',
  });
});
