import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestWebhooks, type TestWebhooks } from './open-test-webhooks.ts';

let webhooks: TestWebhooks;
let accountId: string;
beforeAll(async () => {
  webhooks = await openTestWebhooks();
});
afterAll(() => webhooks[Symbol.asyncDispose]());

const ada = 'ada@gmail.example';
const topic = 'projects/mesh-project/topics/mail';
const mailbox = () => webhooks.google.world.mailboxOf(ada);
const calls = (call: string) => webhooks.google.gmail.callsOf('POST', `/gmail/v1/users/me/${call}`);

beforeEach(async () => {
  accountId = randomUUID();
  webhooks.google.reset();
  webhooks.google.delivery = 'keep';
  webhooks.google.addUser(ada);
  webhooks.mailAccounts.connect(accountId, 'google', ada);
  for (const table of ['subscriptions', 'watches']) await webhooks.context.db.query({ text: `delete from ${table}` });
});

async function create(resource?: string, owner = accountId) {
  const request = {
    accountId: owner,
    agentId: 7,
    provider: 'vendorb_mail',
    ...(resource !== undefined && { resource }),
  };
  const { subscription } = await webhooks.client.createSubscription(request);
  return subscription ?? expect.fail('nothing was created');
}
const remove = async (id: number, owner = accountId) => {
  await webhooks.client.deleteSubscription({ accountId: owner, id });
  await webhooks.upkeep.round();
};
const cursors = async () => {
  const text = 'select cursor::text from watches order by id';
  return (await webhooks.context.db.query<{ cursor: string }>({ text })).map(({ cursor }) => cursor);
};

test('a subscription to Gmail has an id of its own, the inbox by default, and the expiry of the watch', async () => {
  expect(await create()).toMatchObject({
    provider: 'vendorb_mail',
    subscriptionId: expect.stringMatching(/^gmail-watch-[0-9a-f]{16}$/),
    resource: 'INBOX',
    status: 'active',
    expireTime: Date.parse('2026-11-29T00:00:00Z') / 1000,
    mailbox: ada,
  });
  expect(mailbox().watch).toMatchObject({ topic, labelIds: ['INBOX'] });
});

describe('the one watch of a mailbox', () => {
  test('covers the labels of all its subscriptions, and all labels when one needs them', async () => {
    await create();
    const bills = await create('Label_1');
    expect(mailbox().watch?.labelIds).toEqual(['INBOX', 'Label_1']);
    const all = await create('ALL');
    expect(mailbox().watch?.labelIds).toEqual([]);
    await remove(all.id);
    await remove(bills.id);
    expect(mailbox().watch?.labelIds).toEqual(['INBOX']);
  });

  test('covers every label also when subscriptions are created at the same time', async () => {
    await Promise.all(['INBOX', 'Label_1', 'SPAM', 'IMPORTANT'].map((label) => create(label)));
    expect(mailbox().watch?.labelIds).toEqual(['IMPORTANT', 'INBOX', 'Label_1', 'SPAM']);
  });

  test('is stopped only when its last subscription is deleted', async () => {
    const first = await create();
    const second = await create();
    await remove(first.id);
    expect(mailbox().watch).toBeDefined();
    await remove(second.id);
    expect(mailbox().watch).toBeUndefined();
    expect(calls('stop')).toHaveLength(1);
  });

  test('is shared with other accounts that have connected the mailbox', async () => {
    const other = randomUUID();
    webhooks.mailAccounts.connect(other, 'google', ada);
    const own = await create('INBOX');
    const theirs = await create('Label_1', other);
    expect(mailbox().watch?.labelIds).toEqual(['INBOX', 'Label_1']);
    await remove(own.id);
    expect(calls('stop')).toEqual([]);
    await remove(theirs.id, other);
    expect(mailbox().watch).toBeUndefined();
  });

  test('gives the cursor only when it is first made: renewals and further subscriptions leave it', async () => {
    const { id } = await create();
    expect(await cursors()).toEqual(['1000']);
    webhooks.google.addMail(ada);
    await create('Label_1');
    await webhooks.client.renewSubscription({ accountId, id });
    await webhooks.clock.advance(6.6 * 86_400_000);
    await webhooks.upkeep.round();
    expect(calls('watch')).toHaveLength(4);
    expect(await cursors()).toEqual(['1000']);
  });

  test('survives a new subscription that begins while the last one is deleted', async () => {
    const { id } = await create();
    const deletion = webhooks.client.deleteSubscription({ accountId, id });
    const [next] = await Promise.all([create('Label_1'), deletion, webhooks.upkeep.round()]);
    await webhooks.upkeep.round();
    expect(mailbox().watch?.labelIds).toEqual(['Label_1']);
    expect((await webhooks.client.getSubscription({ accountId, id: next.id })).subscription?.status).toBe('active');
  });
});

test('a watch of the mailbox with another topic is stopped first', async () => {
  const expiresAt = new Date(webhooks.clock.now().getTime() + 86_400_000);
  const other = { topic: 'projects/mesh-project/topics/old', labelIds: [], isExclude: false, expiresAt };
  mailbox().watch = other;
  expect((await create()).status).toBe('active');
  expect(mailbox().watch).toMatchObject({ topic });
  expect(calls('stop')).toHaveLength(1);
});

test.each([
  ['inbox', 'INBOX'],
  ['all', 'ALL'],
  ['bills', 'Label_1'],
  ['Label_1', 'Label_1'],
])('the label %s is found by its id or its name', async (text, id) => {
  mailbox().labels.set('Bills', 'Label_1');
  expect((await create(text)).resource).toBe(id);
});

test('a label that its owner deletes does not end the watch of the others', async () => {
  await create();
  await create('Label_1');
  for (const [name, id] of mailbox().labels) if (id === 'Label_1') mailbox().labels.delete(name);
  await webhooks.clock.advance(6.6 * 86_400_000);
  await webhooks.upkeep.round();
  expect(mailbox().watch).toMatchObject({ labelIds: [] });
  expect(webhooks.failures).toEqual([]);
});

describe('a subscription to Gmail is refused', () => {
  test.each(['Label_404', 'nope', 'a b/c'])('for the label %s, which the mailbox does not have', async (label) => {
    await expect(create(label)).rejects.toMatchObject({ reason: 'subscription_resource_invalid' });
    expect(calls('watch')).toEqual([]);
  });

  test.each([
    [403, 'forbidden', 'User not authorized to perform this action.', 'topic_publish_forbidden'],
    [404, 'notFound', 'Resource not found (resource=mail).', 'topic_not_found'],
  ])('when Gmail answers %i %s about the topic in other words', async (status, reason, message, expected) => {
    for (const errors of [[{ reason, domain: 'global', message }], []]) {
      const body = { error: { code: status, message, errors } };
      webhooks.google.gmail.fault({ method: 'POST', action: { status, body } });
      await expect(create()).rejects.toMatchObject({ reason: expected });
    }
  });

  test('when Gmail may not publish to the topic', async () => {
    webhooks.google.world.topics.set(topic, 'denied');
    const refusal = { code: 'permission_denied', reason: 'topic_publish_forbidden' };
    await expect(create()).rejects.toMatchObject({
      ...refusal,
      message: expect.stringMatching(/^User not authorized/),
    });
  });

  test('when the topic does not exist', async () => {
    webhooks.google.world.topics.delete(topic);
    const refusal = { code: 'not_found', reason: 'topic_not_found' };
    await expect(create()).rejects.toMatchObject({ ...refusal, message: expect.stringMatching(/^Topic not found/) });
  });

  test('when the topic is in another project', async () => {
    const message = 'Invalid topicName does not match projects/mesh-project/topics/*';
    const body = { error: { code: 400, message, errors: [{ reason: 'invalidArgument' }] } };
    webhooks.google.gmail.fault({ method: 'POST', action: { status: 400, body } });
    await expect(create()).rejects.toMatchObject({ reason: 'topic_not_found' });
  });

  test.each([
    [403, 'rateLimitExceeded', 'mail_provider_failed'],
    [429, 'userRateLimitExceeded', 'mail_provider_failed'],
    [403, 'insufficientPermissions', 'integration_reconnect_required'],
    [403, 'domainPolicy', 'mail_provider_refused'],
    [400, 'failedPrecondition', 'mail_provider_refused'],
    [500, 'backendError', 'mail_provider_failed'],
  ])('when Gmail answers %i %s', async (status, reason, expected) => {
    const body = { error: { code: status, message: 'x', errors: [{ reason, domain: 'global', message: 'x' }] } };
    webhooks.google.gmail.fault({ method: 'POST', action: { status, body } });
    await expect(create()).rejects.toMatchObject({ reason: expected });
  });

  test('without the settings of the topic, which the answer names', async () => {
    const bare = await openTestWebhooks({ GMAIL_PUBSUB_TOPIC: '' });
    try {
      bare.google.addUser(ada);
      bare.mailAccounts.connect(accountId, 'google', ada);
      const creation = bare.client.createSubscription({ accountId, agentId: 7, provider: 'google_gmail' });
      const refusal = { code: 'unavailable', reason: 'pubsub_not_configured' };
      await expect(creation).rejects.toMatchObject({
        ...refusal,
        message: expect.stringContaining('GMAIL_PUBSUB_TOPIC'),
      });
    } finally {
      await bare[Symbol.asyncDispose]();
    }
  });
});
