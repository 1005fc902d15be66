import type { Database } from '@agentmesh/lib/pg';
import { MeshError } from '@agentmesh/lib/rpc';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectNewAccount, driveSubscriptions } from './drive-subscriptions.ts';
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

const { rows, created, atMicrosoft } = driveSubscriptions(() => ({ webhooks, accountId }));

const settle = async () => {
  for (let times = 0; times < 3; times += 1) await webhooks.upkeep.round();
};

describe('a change', () => {
  test('keeps what is not named, and an empty template is the default message', async () => {
    const { id } = await created({ agentMessageTemplate: 'x', allowedSenders: ['Ada@Example.com', '@example.org'] });
    const change = async (fields: object) =>
      (await webhooks.client.updateSubscription({ accountId, id, ...fields })).subscription;
    expect(await change({ agentId: 9 })).toMatchObject({
      agentId: 9,
      agentMessageTemplate: 'x',
      allowedSenders: ['ada@example.com', '@example.org'],
    });
    expect((await change({ agentMessageTemplate: '' }))?.agentMessageTemplate).toBeUndefined();
    expect(await change({ allowedSenders: { senders: [] }, requireAuthentication: true })).toMatchObject({
      allowedSenders: [],
      requireAuthentication: true,
    });
    const unknown = { code: 'not_found', reason: 'agent_not_found', message: 'Agent not found' };
    await expect(change({ agentId: unknownAgent })).rejects.toMatchObject(unknown);
    await expect(change({ status: 'paused' })).rejects.toMatchObject({ reason: 'subscription_status_invalid' });
  });

  test('of the change type is registered at Microsoft, and the old registration is ended', async () => {
    const { id, subscriptionId } = await created();
    const { subscription } = await webhooks.client.updateSubscription({ accountId, id, changeType: 'deleted' });
    expect(subscription?.subscriptionId).not.toBe(subscriptionId);
    await webhooks.upkeep.round();
    expect(atMicrosoft()).toMatchObject([{ id: subscription?.subscriptionId, changeTypes: ['deleted'] }]);
    webhooks.microsoft.graph.fault({ method: 'POST', action: { status: 503, body: {} } });
    const away = webhooks.client.updateSubscription({ accountId, id, changeType: 'created' });
    await expect(away).rejects.toMatchObject({ reason: 'mail_provider_failed' });
    await webhooks.upkeep.round();
    expect((await webhooks.client.getSubscription({ accountId, id })).subscription).toEqual(subscription);
    expect(atMicrosoft()).toHaveLength(1);
  });

  test('of the change type of a failing subscription is registered when it works again', async () => {
    const { id } = await created();
    webhooks.microsoft.graph.fault({ method: 'PATCH', times: 2, action: { status: 401, body: {} } });
    await expect(webhooks.client.renewSubscription({ accountId, id })).rejects.toThrow();
    await webhooks.client.updateSubscription({ accountId, id, changeType: 'deleted' });
    expect((await webhooks.client.renewSubscription({ accountId, id })).subscription?.status).toBe('active');
    expect(atMicrosoft()).toMatchObject([{ changeTypes: ['deleted'] }]);
  });

  test('disables a subscription, which is then not renewed, and enables it again', async () => {
    const { id } = await created();
    const set = (status: string) => webhooks.client.updateSubscription({ accountId, id, status });
    expect((await set('disabled')).subscription?.status).toBe('disabled');
    for (let hour = 0; hour < 73; hour += 1) {
      await webhooks.clock.advance(3_600_000);
      await webhooks.upkeep.round();
    }
    expect(webhooks.microsoft.graph.callsOf('PATCH', /./)).toEqual([]);
    await set('active');
    await webhooks.upkeep.round();
    const { subscription } = await webhooks.client.getSubscription({ accountId, id });
    expect(subscription?.status).toBe('active');
    expect(atMicrosoft().map((it) => it.id)).toContain(subscription?.subscriptionId);
    const [{ active_since: since } = { active_since: undefined }] = await rows('subscriptions');
    expect(since).toEqual(webhooks.clock.now());
  });
});

describe('a change during another one', () => {
  const update = (id: number, fields: object) => webhooks.client.updateSubscription({ accountId, id, ...fields });
  /** Changes the agent of a subscription, and runs `meanwhile` while the agent is looked for. */
  const changeAgent = async (id: number, meanwhile: () => Promise<unknown>) => {
    vi.spyOn(webhooks.context, 'checkAgent').mockImplementationOnce(async () => void (await meanwhile()));
    return (await update(id, { agentId: 9 })).subscription;
  };

  test('keeps what that one has changed, such as that the subscription is disabled and whose mail it takes', async () => {
    const { id } = await created();
    const other = { status: 'disabled', allowedSenders: { senders: ['ada@example.com'] }, requireAuthentication: true };
    const changed = await changeAgent(id, () => update(id, other));
    const kept = { status: 'disabled', allowedSenders: ['ada@example.com'], requireAuthentication: true };
    expect(changed).toMatchObject({ agentId: 9, ...kept });
  });

  test('keeps the registration that the change type has been given meanwhile', async () => {
    const { id } = await created();
    const changed = await changeAgent(id, () => update(id, { changeType: 'deleted' }));
    await settle();
    const [registered, ...others] = atMicrosoft();
    expect([registered?.changeTypes, others]).toEqual([['deleted'], []]);
    expect(changed).toMatchObject({
      agentId: 9,
      status: 'active',
      changeType: 'deleted',
      subscriptionId: registered?.id,
    });
    expect(await rows('watches')).toMatchObject([{ state: 'active', provider_id: registered?.id }]);
  });

  test('of the change type starts again from the registration that there is now, and ends its own first one', async () => {
    const { id } = await created();
    let isFirst = true;
    webhooks.microsoft.rules.beforeAnswer = async () => {
      if (!isFirst) return;
      isFirst = false;
      await update(id, { changeType: 'deleted' });
    };
    const { subscription } = await update(id, { changeType: 'updated' });
    await settle();
    const [registered, ...others] = atMicrosoft();
    expect([registered?.changeTypes, others]).toEqual([['updated'], []]);
    expect(subscription).toMatchObject({ changeType: 'updated', subscriptionId: registered?.id });
    expect(await rows('watches')).toHaveLength(1);
  });

  test('of the change type is registered also when the subscription has begun to work meanwhile', async () => {
    const { id } = await created();
    webhooks.microsoft.graph.fault({ method: 'PATCH', times: 2, action: { status: 401, body: {} } });
    await expect(webhooks.client.renewSubscription({ accountId, id })).rejects.toThrow();
    const renew = async () => void (await webhooks.client.renewSubscription({ accountId, id }));
    vi.spyOn(webhooks.context, 'checkAgent').mockImplementationOnce(renew);
    await update(id, { agentId: 9, changeType: 'deleted' });
    await settle();
    expect(atMicrosoft()).toMatchObject([{ changeTypes: ['deleted'] }]);
  });
});

test('a change whose commit takes effect after the connection broke keeps the registration that it has made', async () => {
  const { id } = await created();
  const { db } = webhooks.context;
  const [written, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let stored: Promise<unknown> = Promise.resolve();
  const transaction: Database['transaction'] = async (work) => {
    stored = db.transaction(async (tx) => {
      await work(tx);
      written.resolve();
      await released.promise;
    });
    await written.promise;
    throw new MeshError('unavailable', 'outcome_unknown', 'The connection broke.');
  };
  vi.spyOn(db, 'within').mockReturnValueOnce({ query: db.query.bind(db), transaction } as Database);
  let isOver = false;
  const change = webhooks.client
    .updateSubscription({ accountId, id, changeType: 'deleted' })
    .catch((error: unknown) => error)
    .finally(() => {
      isOver = true;
    });
  // Only in this database: others of the server have waits of their own.
  const waiting =
    'select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0';
  const isWaiting = async () => (await db.query({ text: waiting })).length > 0;
  await vi.waitFor(async () => expect(isOver || (await isWaiting())).toBe(true), { timeout: 5_000 });
  released.resolve();
  await stored;
  expect(await change).toMatchObject({ reason: 'outcome_unknown' });
  await settle();
  const [registered, ...others] = atMicrosoft();
  expect([registered?.changeTypes, others]).toEqual([['deleted'], []]);
  expect(await rows('watches')).toMatchObject([{ state: 'active', provider_id: registered?.id }]);
});

describe('a deleted subscription', () => {
  test('is ended at Microsoft, as often as that takes', async () => {
    const { id } = await created();
    webhooks.microsoft.graph.fault({ method: 'DELETE', times: 3, action: { status: 503, body: {} } });
    await webhooks.client.deleteSubscription({ accountId, id });
    expect((await webhooks.client.listSubscriptions({ accountId })).subscriptions).toEqual([]);
    for (let minute = 0; minute < 20; minute += 1) {
      await webhooks.upkeep.round();
      await webhooks.clock.advance(60_000);
    }
    expect(atMicrosoft()).toEqual([]);
    expect(webhooks.microsoft.graph.callsOf('DELETE', /./)).toHaveLength(4);
    expect(await rows('watches')).toEqual([]);
  });

  test('is ended at once, also when it has got another registration meanwhile', async () => {
    const { id } = await created();
    const { db } = webhooks.context;
    const within = db.within.bind(db);
    const changeFirst = (call: Parameters<typeof within>[0]) => {
      const transaction: Database['transaction'] = async (work) => {
        await webhooks.client.updateSubscription({ accountId, id, changeType: 'deleted' });
        return within(call).transaction(work);
      };
      return { query: db.query.bind(db), transaction } as Database;
    };
    vi.spyOn(db, 'within').mockImplementationOnce(changeFirst);
    await webhooks.client.deleteSubscription({ accountId, id });
    await settle();
    expect(atMicrosoft()).toEqual([]);
    expect(await rows('watches')).toEqual([]);
  });

  test('that Microsoft has forgotten is simply gone', async () => {
    const { id } = await created();
    for (const it of atMicrosoft()) webhooks.microsoft.forget(it);
    await webhooks.client.deleteSubscription({ accountId, id });
    await webhooks.upkeep.round();
    expect(await rows('watches')).toEqual([]);
  });
});

describe('a manual renewal', () => {
  test('answers the new expiry', async () => {
    const { id, expireTime = 0 } = await created();
    await webhooks.clock.advance(3_600_000);
    const { subscription } = await webhooks.client.renewSubscription({ accountId, id });
    expect(subscription?.expireTime).toBe(expireTime + 3_600);
  });

  test('registers again what Microsoft has forgotten', async () => {
    const { id, subscriptionId } = await created();
    for (const it of atMicrosoft()) webhooks.microsoft.forget(it);
    const { subscription } = await webhooks.client.renewSubscription({ accountId, id });
    expect(subscription).toMatchObject({ status: 'active', subscriptionId: atMicrosoft()[0]?.id });
    expect(subscription?.subscriptionId).not.toBe(subscriptionId);
  });

  test('deletes what Microsoft has forgotten and does not accept again', async () => {
    const { id } = await created();
    for (const it of atMicrosoft()) webhooks.microsoft.forget(it);
    const body = { error: { code: 'ResourceNotFound', message: 'x' } };
    webhooks.microsoft.graph.fault({ method: 'POST', action: { status: 404, body } });
    const renewal = webhooks.client.renewSubscription({ accountId, id });
    await expect(renewal).rejects.toMatchObject({ reason: 'subscription_gone' });
    expect((await webhooks.client.listSubscriptions({ accountId })).subscriptions).toEqual([]);
  });

  test('keeps a subscription that has got another registration while Microsoft no longer accepted its former one', async () => {
    const { id } = await created();
    const [former] = atMicrosoft();
    if (former !== undefined) webhooks.microsoft.forget(former);
    const body = { error: { code: 'ResourceNotFound', message: 'x' } };
    const wait = async () => {
      await webhooks.client.updateSubscription({ accountId, id, changeType: 'deleted' });
      webhooks.microsoft.graph.fault({ method: 'POST', action: { status: 404, body } });
    };
    webhooks.microsoft.graph.fault({ method: 'PATCH', action: { wait } });
    const { subscription } = await webhooks.client.renewSubscription({ accountId, id });
    await webhooks.clock.advance(3_600_000);
    await settle();
    expect(atMicrosoft()).toMatchObject([{ id: subscription?.subscriptionId, changeTypes: ['deleted'] }]);
    expect(await rows('watches')).toMatchObject([{ state: 'active', provider_id: subscription?.subscriptionId }]);
  });

  test('that fails leaves an active subscription active, and shows why', async () => {
    const { id } = await created();
    webhooks.microsoft.graph.fault({ method: 'PATCH', action: { status: 503, body: {} } });
    const renewal = webhooks.client.renewSubscription({ accountId, id });
    await expect(renewal).rejects.toMatchObject({ reason: 'mail_provider_failed' });
    const { subscription } = await webhooks.client.getSubscription({ accountId, id });
    expect(subscription).toMatchObject({ status: 'active', lastError: 'The mail provider does not answer.' });
  });
});
