import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';
import { type MailMesh, openMailMesh, subscribe } from './open-mail-mesh.ts';

const path = '/api/webhooks/subscriptions';
const topic = 'projects/mesh-project/topics/mail';
let opened: MailMesh;
let caller: Caller;
let id: number;
let agentId: number;

interface Subscription {
  readonly id: number;
  readonly agent_id: number;
  readonly status: string;
}

beforeAll(async () => {
  opened = await openMailMesh();
  caller = await opened.connected('microsoft_outlook', 'grace@mail.example');
  const subscription = await subscribe(caller, 'microsoft_outlook');
  id = subscription.id;
  agentId = (await caller.request<Subscription>('GET', `${path}/${id}`)).body.agent_id;
});
afterAll(() => opened[Symbol.asyncDispose]());

const post = (body: object, by = caller) => by.request<Record<string, unknown>>('POST', path, body);

describe('creating a subscription', () => {
  test.each(['vendora_mail', 'microsoft_outlook'])('echoes the provider %s, with every field', async (provider) => {
    const created = await post({ agent_id: `${agentId}`, provider, agent_message_template: '{{ subject }}' });
    expect(created).toMatchObject({
      status: 201,
      body: {
        id: expect.any(Number),
        provider,
        subscription_id: expect.any(String),
        resource: "me/mailFolders('Inbox')/messages",
        change_type: 'created',
        agent_id: agentId,
        agent_message_template: '{{ subject }}',
        status: 'active',
        expiration_datetime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
    });
  });

  test.each([
    [{ agent_id: 'agent7' }, ['body', 'agent_id']],
    [{ agent_id: 1.5 }, ['body', 'agent_id']],
    [{ agent_id: 2 ** 40 }, ['body', 'agent_id']],
    [{}, ['body', 'agent_id']],
    [{ agent_id: 1, provider: 'yahoo' }, ['body', 'provider']],
    [{ agent_id: 1, change_type: 'created,banana' }, ['body', 'change_type']],
    [{ agent_id: 1, resource: 'me/events' }, ['body', 'resource']],
    [{ agent_id: 1, agent_message_template: 'Hello {{ nam }}' }, ['body', 'agent_message_template']],
    [{ agent_id: 1, allowed_senders: ['nobody'] }, ['body', 'allowed_senders']],
  ])('with %j is answered 422 at the field', async (body, loc) => {
    const { status, body: answer } = await post(body);
    expect([status, answer.detail]).toMatchObject([422, [{ loc: expect.arrayContaining(loc) }]]);
  });

  test('names an unknown placeholder', async () => {
    const { body } = await post({ agent_id: agentId, agent_message_template: '{{ nam }}' });
    expect(JSON.stringify(body.detail)).toContain('Unknown placeholder \\"nam\\"');
  });

  test('for an agent that the account does not have is answered 404', async () => {
    const unknown = { status: 404, body: { detail: 'Agent not found' } };
    expect(await post({ agent_id: 2_000_000_000 })).toMatchObject(unknown);
    const other = await opened.connected('microsoft_outlook', 'mallory@mail.example');
    expect(await post({ agent_id: agentId }, other)).toMatchObject(unknown);
  });

  test('without a connected mail account is answered 400, with the advice to connect it', async () => {
    const newcomer = await newAccount(opened.mesh.url);
    const { status, body } = await post({ agent_id: 1, provider: 'vendorb_mail' }, newcomer);
    expect([status, body.code, body.detail]).toEqual([
      400,
      'integration_missing',
      expect.stringMatching(/Google Gmail .*Connect it on the Integrations page/),
    ]);
  });

  test('is answered with the phrases of the specification when Gmail refuses the topic', async () => {
    const gmail = await opened.connected('google_gmail', 'grace@gmail.example');
    const { id: known } = await subscribe(gmail, 'google_gmail');
    const { body: subscribed } = await gmail.request<Subscription>('GET', `${path}/${known}`);
    const body = { agent_id: subscribed.agent_id, provider: 'vendorb_mail', resource: 'ALL' };
    opened.google.world.topics.set(topic, 'denied');
    const denied = { status: 403, body: { detail: expect.stringMatching(/^User not authorized/) } };
    expect(await post(body, gmail)).toMatchObject(denied);
    opened.google.world.topics.delete(topic);
    const missing = { status: 404, body: { detail: expect.stringMatching(/^Topic not found/) } };
    expect(await post(body, gmail)).toMatchObject(missing);
    opened.google.world.topics.set(topic, 'granted');
    expect(await post(body, gmail)).toMatchObject({ status: 201, body: { provider: 'vendorb_mail', resource: 'ALL' } });
  });

  test('is answered 401 without a challenge, and 502, as the provider fails', async () => {
    const refused = { status: 401, body: { error: { code: 'InvalidAuthenticationToken', message: 'x' } } };
    opened.microsoft.graph.fault({ method: 'POST', times: 2, action: refused });
    const unauthorized = await post({ agent_id: agentId });
    expect(unauthorized).toMatchObject({
      status: 401,
      body: { detail: expect.stringMatching(/^Invalid credentials/), code: 'integration_reconnect_required' },
    });
    expect(unauthorized.headers.get('www-authenticate')).toBeNull();
    opened.microsoft.graph.fault({ method: 'POST', action: { status: 500, body: {} } });
    expect(await post({ agent_id: agentId })).toMatchObject({ status: 502, body: { code: 'mail_provider_failed' } });
  });
});

test('a subscription is changed, listed, renewed and deleted', async () => {
  const { body: created } = await post({ agent_id: agentId });
  const one = `${path}/${Number(created.id)}`;
  const change = (body: object) => caller.request('PATCH', one, body);
  expect(await change({ status: 'disabled', agent_id: null })).toMatchObject({
    status: 200,
    body: { status: 'disabled' },
  });
  expect(await change({ agent_message_template: 'x' })).toMatchObject({ body: { agent_message_template: 'x' } });
  expect(await change({ agent_message_template: '' })).toMatchObject({ body: { agent_message_template: null } });
  expect(await change({ status: 'active', change_type: 'created,updated' })).toMatchObject({
    body: { status: 'active', change_type: 'created,updated' },
  });
  expect((await change({ status: 'expired' })).status).toBe(422);
  expect((await caller.fetch('PATCH', one)).status).toBe(422);
  const { body: list } = await caller.request<{ subscriptions: Subscription[] }>('GET', path);
  expect(list.subscriptions.map((it) => it.id)).toContain(created.id);
  expect(await caller.request('POST', `${one}/renew`)).toMatchObject({ status: 200, body: { status: 'active' } });
  const deleted = { success: true, message: `Subscription ${Number(created.id)} deleted.` };
  expect(await caller.request('DELETE', one)).toMatchObject({ status: 200, body: deleted });
  expect((await caller.request('GET', one)).status).toBe(404);
});

test('a subscription that Microsoft no longer accepts is answered 410 and deleted', async () => {
  const { body: created } = await post({ agent_id: agentId });
  const one = `${path}/${Number(created.id)}`;
  for (const it of opened.microsoft.world.subscriptions.values()) {
    if (it.id === created.subscription_id) opened.microsoft.forget(it);
  }
  const gone = { status: 404, body: { error: { code: 'ResourceNotFound', message: 'x' } } };
  opened.microsoft.graph.fault({ method: 'POST', path: '/v1.0/subscriptions', action: gone });
  expect(await caller.request('POST', `${one}/renew`)).toMatchObject({
    status: 410,
    body: { code: 'subscription_gone' },
  });
  expect((await caller.request('GET', one)).status).toBe(404);
});

test.each(['GET', 'PATCH', 'DELETE', 'POST'])(
  '%s of another account’s subscription is like one that does not exist',
  async (method) => {
    const other = await newAccount(opened.mesh.url);
    const at = (number: number | string) =>
      other.request(
        method,
        `${path}/${number}${method === 'POST' ? '/renew' : ''}`,
        method === 'PATCH' ? {} : undefined,
      );
    expect(await at(id)).toMatchObject({ status: 404, body: { detail: `Subscription ${id} not found.` } });
    expect(await at(2_147_483_647)).toMatchObject({ status: 404 });
    for (const bad of ['0', '-1', '9999999999', 'x', '1.5']) expect((await at(bad)).status).toBe(422);
  },
);
