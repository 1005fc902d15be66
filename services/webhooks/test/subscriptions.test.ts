import { randomUUID } from 'node:crypto';
import { keyedHeaders } from '@agentmesh/lib/idempotency';
import type { Database } from '@agentmesh/lib/pg';
import { MeshError } from '@agentmesh/lib/rpc';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ada, connectNewAccount, driveSubscriptions } from './drive-subscriptions.ts';
import { openTestWebhooks, type TestWebhooks, unknownAgent } from './open-test-webhooks.ts';

let webhooks: TestWebhooks;
let accountId: string;
beforeAll(async () => {
  webhooks = await openTestWebhooks();
});
afterAll(() => webhooks[Symbol.asyncDispose]());

beforeEach(async () => {
  accountId = await connectNewAccount(webhooks);
});

const { rows, create, created, atMicrosoft } = driveSubscriptions(() => ({ webhooks, accountId }));

/** Lets the connection break at the commit of the next call, and with `isGone` once more at the next transaction. */
function breakCommit({ isStored, isGone }: { isStored: boolean; isGone: boolean }): void {
  const { db } = webhooks.context;
  const failing = new MeshError('unavailable', 'outcome_unknown', 'The connection broke.');
  const transaction: Database['transaction'] = async (work) => {
    if (isStored) await db.transaction(work);
    if (isGone) vi.spyOn(db, 'transaction').mockRejectedValueOnce(failing);
    throw failing;
  };
  vi.spyOn(db, 'within').mockReturnValueOnce({ query: db.query.bind(db), transaction } as Database);
}

test('an account has at most 1,000 subscriptions, also of 250 calls at once, and those that are being ended at their provider count', async () => {
  const text = `insert into watches (account_id, provider, serves_mailbox, mailbox, integration_id, state, created_at)
    select $1, 'microsoft', false, 'a@example.com', 1, 'ending', now() from generate_series(1, 995)`;
  await webhooks.context.db.query({ text }, [accountId]);
  const outcomes = await Promise.allSettled(Array.from({ length: 250 }, () => created()));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  await expect(created()).rejects.toMatchObject({ reason: 'subscription_limit' });
  await webhooks.context.db.query({ text: 'delete from watches where account_id = $1 and provider_id is null' }, [
    accountId,
  ]);
});

describe('a subscription at Microsoft', () => {
  test('is registered with immutable ids, a lifecycle address and 4,230 minutes, and answered with all its fields', async () => {
    const subscription = await created({ changeType: 'created, updated', agentMessageTemplate: 'Mail: ${subject}' });
    const [registered] = atMicrosoft();
    expect(subscription).toMatchObject({
      provider: 'microsoft_outlook',
      subscriptionId: registered?.id,
      resource: "me/mailFolders('Inbox')/messages",
      changeType: 'created,updated',
      agentId: 7,
      agentMessageTemplate: 'Mail: ${subject}',
      status: 'active',
      expireTime: Date.parse('2026-11-24T22:30:00Z') / 1000,
      createTime: Date.parse('2026-11-22T00:00:00Z') / 1000,
      mailbox: ada,
    });
    expect(registered).toMatchObject({ isImmutable: true, changeTypes: ['created', 'updated'] });
    expect(registered?.lifecycleNotificationUrl).toBe(registered?.notificationUrl);
    expect(await webhooks.client.getSubscription({ accountId, id: subscription.id })).toMatchObject({ subscription });
  });

  test('has secrets of its own, of which only hashes are stored', async () => {
    await created();
    await created();
    const secrets = atMicrosoft().flatMap(({ notificationUrl, clientState }) => [
      notificationUrl.split('/api/webhooks/outlook/notifications/')[1] ?? '',
      String(clientState),
    ]);
    expect(new Set(secrets).size).toBe(4);
    const dump = await webhooks.context.db.query({ text: 'select watches::text as row from watches' });
    const stored = JSON.stringify([dump, webhooks.logged]);
    for (const secret of secrets) {
      expect(secret).toMatch(/^[\w-]{43}$/);
      expect(stored).not.toContain(secret);
    }
  });

  test('is stored before Microsoft answers, so that a notification during the call is matched', async () => {
    let during: unknown;
    webhooks.microsoft.rules.beforeAnswer = async () => {
      const text = `select s.state from subscriptions s join watches w on w.id = s.watch_id where w.path_token_hash is not null`;
      during = await webhooks.context.db.query({ text });
    };
    await created();
    expect(during).toEqual([{ state: 'creating' }]);
  });

  test('is created with a fresh access token, also while another one is valid', async () => {
    await webhooks.mailAccounts.accessToken('microsoft', { accountId }, { fresh: false });
    const { fresh } = webhooks.mailAccounts;
    await created();
    expect(webhooks.mailAccounts.fresh).toBe(fresh + 1);
    const [call] = webhooks.microsoft.graph.callsOf('POST', '/v1.0/subscriptions');
    const token = await webhooks.mailAccounts.accessToken('microsoft', { accountId }, { fresh: false });
    expect(call?.headers.authorization).toBe(`Bearer ${token.accessToken}`);
  });

  test('that Microsoft made while its answer was lost is ended there', async () => {
    webhooks.microsoft.graph.fault({ method: 'POST', path: '/v1.0/subscriptions', action: 'lose' });
    const failure = { code: 'unavailable', reason: 'mail_provider_failed' };
    await expect(create()).rejects.toMatchObject(failure);
    expect(atMicrosoft()).toHaveLength(1);
    await webhooks.upkeep.round();
    expect(atMicrosoft()).toEqual([]);
    expect([await rows('watches'), await rows('subscriptions')]).toEqual([[], []]);
  });

  test('without an expiry in the answer of Microsoft has the one that was asked for', async () => {
    const body = { id: 'made-elsewhere', resource: "me/mailFolders('Inbox')/messages" };
    webhooks.microsoft.graph.fault({ method: 'POST', path: '/v1.0/subscriptions', action: { status: 201, body } });
    const { subscriptionId, expireTime } = await created();
    expect(subscriptionId).toBe('made-elsewhere');
    expect(expireTime).toBe(webhooks.clock.now().getTime() / 1000 + 4_230 * 60);
  });

  test('that cannot be stored is ended there', async () => {
    const { db } = webhooks.context;
    await db.query({ text: `alter table subscriptions add constraint broken check (state <> 'active')` });
    try {
      await expect(create()).rejects.toMatchObject({ code: 'internal' });
    } finally {
      await db.query({ text: 'alter table subscriptions drop constraint broken' });
    }
    await webhooks.upkeep.round();
    expect(atMicrosoft()).toEqual([]);
    expect([await rows('watches'), await rows('subscriptions')]).toEqual([[], []]);
  });

  test.each([
    ['works again', false],
    ['cannot be reached for a moment', true],
  ])('is what its key answers when the connection broke at its commit, and the database %s', async (_, isGone) => {
    const headers = keyedHeaders({ key: randomUUID(), route: 'POST /', content: [] });
    const request = { accountId, agentId: 7, provider: 'microsoft_outlook' };
    const send = () => webhooks.client.createSubscription(request, { headers });
    breakCommit({ isStored: true, isGone });
    await expect(send()).rejects.toMatchObject({ reason: 'outcome_unknown' });
    await webhooks.clock.advance(301_000);
    await webhooks.upkeep.round();
    const { subscription } = await send();
    expect(subscription?.status).toBe('active');
    expect((await webhooks.client.listSubscriptions({ accountId })).subscriptions).toEqual([subscription]);
    expect(atMicrosoft()).toMatchObject([{ id: subscription?.subscriptionId }]);
  });

  test('that can neither be stored nor removed is ended there after five minutes', async () => {
    breakCommit({ isStored: false, isGone: true });
    await expect(create()).rejects.toMatchObject({ reason: 'outcome_unknown' });
    expect(atMicrosoft()).toHaveLength(1);
    await webhooks.clock.advance(301_000);
    await webhooks.upkeep.round();
    expect(atMicrosoft()).toEqual([]);
    expect([await rows('watches'), await rows('subscriptions')]).toEqual([[], []]);
  });

  test('whose process died while creating it is ended there after five minutes', async () => {
    await created();
    await webhooks.context.db.query({
      text: `update watches set state = 'new', provider_id = null, expires_at = null`,
    });
    await webhooks.context.db.query({ text: `update subscriptions set state = 'creating'` });
    await webhooks.upkeep.round();
    expect(atMicrosoft()).toHaveLength(1);
    await webhooks.clock.advance(301_000);
    await webhooks.upkeep.round();
    expect(atMicrosoft()).toEqual([]);
    expect(await rows('watches')).toEqual([]);
  });
});

describe('a subscription is refused, and nothing is registered,', () => {
  const refusals: [string, object, object][] = [
    ['an agent that is not the account’s', { agentId: unknownAgent }, { code: 'not_found', reason: 'agent_not_found' }],
    [
      'an unknown provider, with the names that there are',
      { provider: 'x' },
      {
        reason: 'subscription_provider_invalid',
        message: 'The provider is not known. Known: vendora_mail, microsoft_outlook, vendorb_mail, google_gmail.',
      },
    ],
    ['an unknown change type', { changeType: 'created,banana' }, { reason: 'subscription_change_type_invalid' }],
    ['no mail resource', { resource: 'me/events' }, { reason: 'subscription_resource_invalid' }],
    ['a resource with a query', { resource: 'me/messages?$top=1' }, { reason: 'subscription_resource_invalid' }],
    ['any star', { allowedSenders: ['*@example.org'] }, { reason: 'subscription_allowed_senders_invalid' }],
    ['an unknown placeholder', { agentMessageTemplate: '{{ nam }}' }, { message: expect.stringContaining('nam') }],
    ['a sender that is no address', { allowedSenders: ['x'] }, { reason: 'subscription_allowed_senders_invalid' }],
  ];
  test.each(refusals)('for %s', async (_, request, refusal) => {
    await expect(create(request)).rejects.toMatchObject(refusal);
    expect(webhooks.microsoft.graph.calls).toEqual([]);
    expect(await rows('subscriptions')).toEqual([]);
  });

  test('without a connected mail account, with the advice to connect it', async () => {
    webhooks.mailAccounts.disconnect(accountId, 'microsoft');
    const refusal = {
      code: 'failed_precondition',
      reason: 'integration_missing',
      message: /Connect it on the Integrations page/,
    };
    await expect(create({ agentId: unknownAgent })).rejects.toMatchObject({
      ...refusal,
      message: expect.stringMatching(refusal.message),
    });
  });

  test('with a mail account that has to be connected again', async () => {
    webhooks.mailAccounts.expire(accountId, 'microsoft');
    const refusal = { code: 'unauthenticated', reason: 'integration_reconnect_required' };
    await expect(create()).rejects.toMatchObject({
      ...refusal,
      message: expect.stringMatching(/^Invalid credentials/),
    });
    expect(await rows('watches')).toEqual([]);
  });

  test.each([401, 400, 403, 404, 429, 503])('when Microsoft answers %i, without its text', async (status) => {
    const body = { error: { code: 'SomeCode', message: 'a secret of the provider' } };
    webhooks.microsoft.graph.fault({ method: 'POST', times: 2, action: { status, body } });
    const error: unknown = await create().catch((reason: unknown) => reason);
    const refusal =
      status === 401
        ? { code: 'unauthenticated', reason: 'integration_reconnect_required' }
        : { code: 'unavailable', reason: expect.stringMatching('mail_provider_') };
    expect(error).toMatchObject(refusal);
    await webhooks.upkeep.round();
    expect(await rows('watches')).toEqual([]);
    expect(JSON.stringify([error, webhooks.logged])).not.toContain('a secret of the provider');
  });
});

test('a resource may name the owner of the mailbox, and no other one', async () => {
  const folder = "mailFolders('Inbox')/messages";
  for (const owner of ['eve@contoso.example', 'other']) {
    await expect(create({ resource: `users/${owner}/${folder}` })).rejects.toMatchObject({
      reason: 'subscription_resource_invalid',
    });
  }
  const { subscription } = await create({ resource: `/users/${ada}/${folder}` });
  expect(subscription?.resource).toBe(`/users/${ada}/${folder}`);
});

describe('a subscription that is deleted', () => {
  test('has ended at Microsoft when the call ends', async () => {
    const { id } = await created();
    await webhooks.client.deleteSubscription({ accountId, id });
    expect(atMicrosoft()).toEqual([]);
    expect(await rows('watches')).toEqual([]);
  });

  test('is gone also while Microsoft does not answer, and is ended there later', async () => {
    const { id } = await created();
    webhooks.microsoft.graph.fault({ method: 'DELETE', action: { status: 503, body: {} } });
    await webhooks.client.deleteSubscription({ accountId, id });
    await expect(webhooks.client.getSubscription({ accountId, id })).rejects.toMatchObject({ code: 'not_found' });
    expect(atMicrosoft()).toHaveLength(1);
    await webhooks.clock.advance(31_000);
    await webhooks.upkeep.round();
    expect(atMicrosoft()).toEqual([]);
  });
});

test('a forgotten registration is made again also when Microsoft does not list subscriptions', async () => {
  const { id } = await created();
  for (const subscription of webhooks.microsoft.world.subscriptions.values()) webhooks.microsoft.forget(subscription);
  webhooks.microsoft.graph.fault({ method: 'GET', path: '/v1.0/subscriptions', action: { status: 403, body: {} } });
  await webhooks.client.renewSubscription({ accountId, id });
  expect(atMicrosoft()).toHaveLength(1);
});

test('a token that Microsoft refuses is replaced by a fresh one, once', async () => {
  const subscription = await created();
  webhooks.microsoft.world.authorization.expireAccess(ada);
  const { fresh } = webhooks.mailAccounts;
  await webhooks.client.renewSubscription({ accountId, id: subscription.id });
  expect(webhooks.mailAccounts.fresh).toBe(fresh + 1);
});

test('another account can neither see, change, renew nor delete a subscription', async () => {
  const { id } = await created();
  const other = { accountId: randomUUID(), id };
  const { client } = webhooks;
  const calls = [
    client.getSubscription,
    client.updateSubscription,
    client.deleteSubscription,
    client.renewSubscription,
  ];
  for (const call of calls) {
    await expect(call(other)).rejects.toMatchObject({ reason: 'subscription_not_found' });
  }
  expect((await client.listSubscriptions({ accountId: other.accountId })).subscriptions).toEqual([]);
  expect((await client.listSubscriptions({ accountId })).subscriptions).toHaveLength(1);
});
