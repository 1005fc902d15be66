import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Caller, newAccount, runBody, type SessionJson } from '../../caller.ts';
import { openMessage, startWebhookReceiver, type WebhookReceiver } from '../../fakes/webhook-receiver.ts';

const url = inject('meshUrl');
const secret = `whsec_${Buffer.from('a secret of the end-to-end tests').toString('base64')}`;
const resources = new AsyncDisposableStack();
let receiver: WebhookReceiver;
let caller: Caller;

beforeAll(async () => {
  receiver = resources.use(await startWebhookReceiver());
  caller = await newAccount(url);
});
afterAll(() => resources.disposeAsync());

interface Started {
  readonly invocationId: string;
  readonly webhook?: { readonly url: string; readonly secret?: string };
}

interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: { readonly invocationId: string; readonly status: string };
}

async function start(
  session: SessionJson,
  webhook: object,
  { text = 'hello', key, ...fields }: { text?: string; key?: string; invocationId?: string } = {},
) {
  const response = await fetch(`${url}/runs`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${caller.token}`,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify(runBody(session, text, { ...fields, webhook })),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Started };
}

const arrived = (path: string) => expect.poll(() => receiver.at(path).length, { timeout: 30_000 }).toBe(1);
const deliveriesOf = (id: string, by = caller) =>
  by.request<Record<string, unknown>[]>('GET', `/runs/${id}/webhook/deliveries`);

test('the end of a run is sent to its webhook, signed with the secret of the client, and can be sent again', async () => {
  const webhook = { url: `${receiver.url}/own?a=1`, secret };
  const { status, body } = await start(await caller.createSession(), webhook);
  expect(status).toBe(202);
  expect(body.webhook).toEqual({ url: webhook.url });
  await arrived('/own?a=1');
  const [message] = receiver.at('/own?a=1');
  if (message === undefined) throw new Error('no message');
  const { type, timestamp, data } = openMessage<Message>(secret, message);
  expect(type).toBe('run.completed');
  expect(Date.parse(timestamp)).toBeGreaterThan(0);
  const { body: run } = await caller.request('GET', `/runs/${body.invocationId}`);
  expect(data).toEqual(run);
  await expect
    .poll(async () => (await deliveriesOf(body.invocationId)).body, { timeout: 30_000 })
    .toMatchObject([
      { id: message.headers['webhook-id'], type, status: 'delivered', attempts: 1, responseStatus: 204 },
    ]);
  const messageId = String(message.headers['webhook-id']);
  const again = `/runs/${body.invocationId}/webhook/deliveries/${messageId}/resend`;
  expect(await caller.request('POST', again, {})).toMatchObject({ status: 202, body: { status: 'pending' } });
  await expect.poll(() => receiver.at('/own?a=1').length, { timeout: 30_000 }).toBe(2);
  expect(receiver.at('/own?a=1').map(({ headers }) => headers['webhook-id'])).toEqual(
    Array.from({ length: 2 }, () => messageId),
  );
  // Another account neither sees nor sends it.
  const other = await newAccount(url);
  expect(await deliveriesOf(body.invocationId, other)).toMatchObject({ status: 404 });
  expect(await other.request('POST', again, {})).toMatchObject({ status: 404 });
});

test('the message of a run that has ended carries its answer, as a text or as JSON', async () => {
  for (const [path, text, output] of [
    ['/text', 'the answer', 'the answer'],
    ['/json', '{"total": 3}', { total: 3 }],
  ] as const) {
    await start(await caller.createSession(), { url: receiver.url + path, secret }, { text });
    await arrived(path);
    const [message] = receiver.at(path);
    if (message === undefined) throw new Error('no message');
    expect(openMessage<Message>(secret, message).data).toMatchObject({ status: 'completed', output });
  }
});

test('a secret is made and answered once; a repeated request starts no run and shows no secret', async () => {
  const session = await caller.createSession();
  const webhook = { url: `${receiver.url}/made` };
  const first = await start(session, webhook, { key: 'w1' });
  const made = first.body.webhook?.secret ?? '';
  expect(made).toMatch(/^whsec_/);
  const second = await start(session, webhook, { key: 'w1' });
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(second.body).toMatchObject({ invocationId: first.body.invocationId, webhook });
  expect(second.body.webhook).toEqual(webhook);
  await arrived('/made');
  const [message] = receiver.at('/made');
  if (message === undefined) throw new Error('no message');
  expect(openMessage<Message>(made, message).data.invocationId).toBe(first.body.invocationId);
  expect((await start(session, { url: `${receiver.url}/other` }, { key: 'w1' })).status).toBe(422);
  const { body: run } = await caller.request('GET', `/runs/${first.body.invocationId}`);
  expect(JSON.stringify(run)).not.toContain('whsec_');
});

test('a run that is cancelled is told too', async () => {
  const { body } = await start(
    await caller.createSession(),
    { url: `${receiver.url}/stop`, secret },
    { text: '[[wait:60000]]' },
  );
  await caller.request('POST', `/runs/${body.invocationId}/cancel`, {});
  await arrived('/stop');
  expect(receiver.at('/stop').map((message) => openMessage<Message>(secret, message).type)).toEqual(['run.cancelled']);
});

test('the end of a run is told also when a newer run of another session has its id', async () => {
  const invocationId = 'job-1';
  const webhook = { url: `${receiver.url}/older`, secret };
  await start(await caller.createSession(), webhook, { invocationId, text: '[[wait:2000]]' });
  await start(await caller.createSession(), { url: `${receiver.url}/newer`, secret }, { invocationId });
  await arrived('/newer');
  await arrived('/older');
});

test.each([
  { why: 'an address that is not public', webhook: { url: 'https://10.0.0.1/x' }, field: 'url' },
  { why: 'a metadata server', webhook: { url: 'http://169.254.169.254/latest' }, field: 'url' },
  { why: 'plain http', webhook: { url: 'http://example.com/x' }, field: 'url' },
  { why: 'a secret of another form', webhook: { url: 'https://example.com/', secret: 'my secret' }, field: 'secret' },
  { why: 'an unknown field', webhook: { url: 'https://example.com/', token: 'x' }, field: 'token' },
])('a webhook with $why is refused with 422, and no run is started', async ({ webhook, field }) => {
  const session = await caller.createSession();
  const { status, body } = await start(session, webhook);
  expect(status).toBe(422);
  expect(body).toMatchObject({ detail: [{ loc: ['body', 'webhook', field] }] });
  expect(JSON.stringify(body)).not.toContain('my secret');
  expect((await caller.readSession(session)).events).toEqual([]);
});

test('a token of one end user neither sees nor sends messages of another one', async () => {
  const made = await caller.request<{ token: string }>('POST', '/api/auth/tokens', {
    name: 'bound to another user',
    scopes: ['runs:read', 'runs:write'],
    user_id: 'u2',
  });
  const bound = new Caller(url, made.body.token);
  const { body } = await start(await caller.createSession(), { url: `${receiver.url}/bound`, secret });
  await arrived('/bound');
  expect(await deliveriesOf(body.invocationId, bound)).toMatchObject({ status: 404 });
});

test('a run without a webhook has no messages', async () => {
  const { body } = await caller.request<Started>('POST', '/runs', runBody(await caller.createSession(), 'x'));
  expect(await deliveriesOf(body.invocationId)).toMatchObject({ status: 404, body: { code: 'run_webhook_not_found' } });
});
