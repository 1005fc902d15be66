import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type {
  ChangeNotificationCollection,
  FileAttachment,
  Message,
  Subscription,
} from '@microsoft/microsoft-graph-types';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createVirtualClock } from '../upstream/index.ts';
import { type FakeMicrosoft, startFakeMicrosoft } from './index.ts';

const clock = createVirtualClock({ frozenAt: new Date('2026-11-22T00:00:00Z') });
const address = 'ada@contoso.example';
let fake: FakeMicrosoft;
let receiver: Server;
let url: string;
let received: ChangeNotificationCollection[];
/** Status of the receiver's answers to notifications. */
let status: number;
let echo: (token: string) => string;

beforeAll(async () => {
  fake = await startFakeMicrosoft(clock);
  receiver = createServer((request, response) => {
    const token = new URL(request.url ?? '', 'http://receiver').searchParams.get('validationToken');
    void text(request).then((body) => {
      if (token !== null) return response.writeHead(200, { 'content-type': 'text/plain' }).end(echo(token));
      received.push(JSON.parse(body) as ChangeNotificationCollection);
      return response.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/notes?secret=1`;
});
beforeEach(() => {
  fake.reset();
  clock.clear();
  fake.addUser(address);
  received = [];
  status = 202;
  echo = (token) => token;
});
afterAll(async () => {
  receiver.close();
  await fake[Symbol.asyncDispose]();
});

async function call<Answer>(method: string, path: string, body?: object, prefer = 'IdType="ImmutableId"') {
  const { user } = fake.world.mailboxOf(address);
  const { accessToken } = fake.world.authorization.grantTo(user, ['User.Read', 'Mail.Read']);
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json', prefer };
  const target = path.startsWith('http') ? path : `${fake.graph.origin}/v1.0${path}`;
  const response = await fetch(target, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  const answer = await response.text();
  return { status: response.status, body: (answer === '' ? {} : JSON.parse(answer)) as Answer };
}

function subscribe(more: object = {}) {
  return call<Subscription>('POST', '/subscriptions', {
    changeType: 'created',
    notificationUrl: url,
    lifecycleNotificationUrl: url,
    resource: "me/mailFolders('Inbox')/messages",
    expirationDateTime: '2026-11-24T22:30:00Z',
    clientState: 'secret',
    ...more,
  });
}

test('a subscription delivers each new mail of its folder, and the message can be read with its attachments', async () => {
  const made = await subscribe();
  expect(made).toMatchObject({ status: 201, body: { expirationDateTime: '2026-11-24T22:30:00.0000000Z' } });
  const bytes = new TextEncoder().encode('%PDF');
  const attachments = [{ name: 'bill.pdf', contentType: 'application/pdf', bytes }];
  const mail = fake.addMail(address, { subject: 'Bill', html: '<p>Pay <b>now</b></p>', attachments });
  fake.addMail(address, {}, 'Archive');
  await fake.settle();
  const items = received.flatMap(({ value }) => value ?? []);
  expect(items).toMatchObject([
    {
      subscriptionId: made.body.id,
      clientState: 'secret',
      changeType: 'created',
      resourceData: { id: mail.immutableId },
    },
  ]);
  const path = `/me/messages/${mail.immutableId}`;
  const asText = 'IdType="ImmutableId", outlook.body-content-type="text"';
  const message = await call<Message>('GET', `${path}?$select=subject,body,hasAttachments`, undefined, asText);
  expect(message.body).toMatchObject({
    subject: 'Bill',
    body: { contentType: 'text', content: 'Pay now' },
    hasAttachments: true,
  });
  const list = await call<{ value: FileAttachment[] }>('GET', `${path}/attachments?$select=id,name,size`);
  expect(list.body.value).toMatchObject([{ name: 'bill.pdf', size: 4 }]);
  const content = await call<FileAttachment>('GET', `${path}/attachments/${list.body.value[0]?.id}`);
  expect(content.body.contentBytes).toBe(Buffer.from(bytes).toString('base64'));
});

test('a subscription is made only when both addresses echo the decoded token as text', async () => {
  echo = (token) => token.replaceAll('+', ' ');
  expect(await subscribe()).toMatchObject({ status: 400, body: { error: { code: 'ValidationError' } } });
  const nowhere = 'http://127.0.0.1:1/';
  echo = (token) => token;
  const refused = { status: 400, body: { error: { code: 'InvalidRequest' } } };
  expect(await subscribe({ lifecycleNotificationUrl: nowhere })).toMatchObject(refused);
  expect(fake.world.subscriptions.size).toBe(0);
});

test('the life of a subscription is at most 10,070 minutes and at least 45, and an expired one is forgotten', async () => {
  const code = 'ExtensionError';
  expect(await subscribe({ expirationDateTime: '2026-11-29T00:00:00Z' })).toMatchObject({ body: { error: { code } } });
  const short = await subscribe({ expirationDateTime: '2026-11-22T00:01:00Z' });
  expect(short.body.expirationDateTime).toBe('2026-11-22T00:45:00.0000000Z');
  const path = `/subscriptions/${short.body.id}`;
  const longer = await call<Subscription>('PATCH', path, { expirationDateTime: '2026-11-22T02:00:00Z' });
  expect(longer.body.expirationDateTime).toBe('2026-11-22T02:00:00.0000000Z');
  await clock.advance(2 * 3_600_000);
  expect(await call('PATCH', path, { expirationDateTime: '2026-11-23T00:00:00Z' })).toMatchObject({
    status: 404,
    body: { error: { code: 'ResourceNotFound' } },
  });
  fake.addMail(address);
  await fake.settle();
  expect(received).toEqual([]);
});

test('a refused notification is delivered again with growing pauses, for four hours', async () => {
  await subscribe({ expirationDateTime: new Date(clock.now().getTime() + 3_600_000).toISOString() });
  status = 503;
  fake.addMail(address);
  await fake.settle();
  await clock.advance(10_000);
  expect(received).toHaveLength(2);
  await clock.advance(10_000);
  expect(received).toHaveLength(2);
  await clock.advance(10_000);
  expect(received).toHaveLength(3);
  await clock.advance(5 * 3_600_000);
  expect(fake.deliveries.lost).toHaveLength(1);
});

test('delta pages list what came since, end with a link that goes on, and answer 410 when the cursor is dead', async () => {
  type Delta = { value: Message[]; '@odata.nextLink'?: string; '@odata.deltaLink'?: string };
  const path = "/me/mailFolders('Inbox')/messages/delta?changeType=created&$select=subject";
  const prefer = 'IdType="ImmutableId", odata.maxpagesize=2';
  const read = (link: string) => call<Delta>('GET', link, undefined, prefer);
  const start = await read(path);
  for (const subject of ['a', 'b', 'c']) fake.addMail(address, { subject });
  const first = await read(start.body['@odata.deltaLink'] ?? '');
  const second = await read(first.body['@odata.nextLink'] ?? '');
  const subjects = [...first.body.value, ...second.body.value].map(({ subject }) => subject);
  expect(subjects).toEqual(['a', 'b', 'c']);
  const link = second.body['@odata.deltaLink'] ?? '';
  expect((await read(link)).body.value).toEqual([]);
  fake.killDeltaCursors();
  expect(await read(link)).toMatchObject({ status: 410 });
});

test('a paused subscription delivers nothing until it is authorized again', async () => {
  const { body } = await subscribe({ expirationDateTime: new Date(clock.now().getTime() + 3_600_000).toISOString() });
  const [subscription] = fake.world.subscriptions.values();
  fake.sendLifecycle(subscription ?? expect.fail('there is no subscription'), 'reauthorizationRequired');
  fake.addMail(address);
  await fake.settle();
  expect(received).toMatchObject([{ value: [{ lifecycleEvent: 'reauthorizationRequired' }] }]);
  expect(await call('POST', `/subscriptions/${body.id}/reauthorize`)).toMatchObject({ status: 204 });
  fake.addMail(address);
  await fake.settle();
  expect(received).toHaveLength(2);
});

test('a moved mail has another default id and the same immutable one', async () => {
  const mail = fake.addMail(address);
  const before = await call<Message>('GET', `/me/messages/${mail.immutableId}?$select=id`, undefined, '');
  fake.moveMail(address, mail, 'Archive');
  const after = await call<Message>('GET', `/me/messages/${mail.immutableId}?$select=id`, undefined, '');
  expect(after.body.id).not.toBe(before.body.id);
  expect(await call('GET', `/me/messages/${before.body.id}`)).toMatchObject({ status: 404 });
});

test('a mailbox serves four requests at once, and an expired token none', async () => {
  const mail = fake.addMail(address);
  const path = `/me/messages/${mail.immutableId}`;
  fake.world.mailboxOf(address).open = 4;
  expect(await call('GET', path)).toMatchObject({ status: 429, body: { error: { code: 'ApplicationThrottled' } } });
  const { accessToken } = fake.world.authorization.grantTo(fake.world.mailboxOf(address).user, ['Mail.Read']);
  fake.world.authorization.expireAccess(address);
  const headers = { authorization: `Bearer ${accessToken}` };
  expect(await fetch(`${fake.graph.origin}/v1.0${path}`, { headers })).toMatchObject({ status: 401 });
});
