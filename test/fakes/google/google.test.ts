import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gmail as createGmail, type gmail_v1 } from '@googleapis/gmail';
import { CodeChallengeMethod, OAuth2Client } from 'google-auth-library';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createVirtualClock, openConsentPage } from '../upstream/index.ts';
import { type FakeGoogle, startFakeGoogle } from './index.ts';
import { rateLimited } from './google-error.ts';
import { pushClaims } from './push.ts';
import { topic } from './world.ts';

const clock = createVirtualClock();
const address = 'ada@mail.example';
const readonly = 'https://www.googleapis.com/auth/gmail.readonly';
const redirectUri = 'http://127.0.0.1/back';
let fake: FakeGoogle;
let receiver: Server;
let pushes: { authorization: string; subscription: string; data: unknown }[];
/** Status of the receiver's answers. */
let status: number;

beforeAll(async () => {
  fake = await startFakeGoogle(clock);
  receiver = createServer((request, response) => {
    void text(request).then((body) => {
      const { message, subscription } = JSON.parse(body) as { message: { data: string }; subscription: string };
      const data: unknown = JSON.parse(Buffer.from(message.data, 'base64').toString());
      pushes.push({ authorization: request.headers.authorization ?? '', subscription, data });
      response.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  fake.subscription.endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/push`;
});
beforeEach(async () => {
  await fake.settle();
  fake.reset();
  clock.clear();
  fake.addUser(address);
  pushes = [];
  status = 204;
});
afterAll(async () => {
  receiver.close();
  await fake[Symbol.asyncDispose]();
});

/** Google's own OAuth client, which talks to the fake. */
function createOAuth(clientSecret = fake.world.client.secret): OAuth2Client {
  return new OAuth2Client({
    clientId: fake.world.client.id,
    clientSecret,
    redirectUri,
    endpoints: {
      oauth2AuthBaseUrl: fake.settings.GOOGLE_AUTH_URL ?? '',
      oauth2TokenUrl: fake.settings.GOOGLE_TOKEN_URL ?? '',
      oauth2RevokeUrl: `${fake.accounts.origin}/revoke`,
      oauth2FederatedSignonPemCertsUrl: `${fake.accounts.origin}/oauth2/v1/certs`,
    },
  });
}

/** Google's own Gmail client, for a user who has consented. */
function createMail(scopes = [readonly]): gmail_v1.Gmail {
  const { refreshToken } = fake.world.authorization.grantTo(fake.world.mailboxOf(address).user, scopes);
  const auth = createOAuth();
  auth.setCredentials({ refresh_token: refreshToken ?? null });
  return createGmail({ version: 'v1', rootUrl: `${fake.gmail.origin}/`, auth: auth as never });
}

const userId = 'me';

test("Google's own client signs a user in with PKCE, refreshes and revokes", async () => {
  const auth = createOAuth();
  const { codeVerifier, codeChallenge = '' } = await auth.generateCodeVerifierAsync();
  const page = auth.generateAuthUrl({
    access_type: 'offline',
    prompt: 'consent',
    scope: ['openid', 'email', readonly],
    code_challenge: codeChallenge,
    code_challenge_method: CodeChallengeMethod.S256,
  });
  const { code = '' } = await openConsentPage(page, address);
  const { tokens } = await auth.getToken({ code, codeVerifier });
  auth.setCredentials(tokens);
  const user = await auth.request({ url: fake.settings.GOOGLE_USERINFO_URL ?? '' });
  expect(user.data).toMatchObject({ email: address, email_verified: true });
  auth.setCredentials({ refresh_token: tokens.refresh_token ?? null });
  expect((await auth.getAccessToken()).token).not.toBe(tokens.access_token);
  await auth.revokeToken(tokens.refresh_token ?? '');
  auth.setCredentials({ refresh_token: tokens.refresh_token ?? null });
  await expect(auth.getAccessToken()).rejects.toThrow('invalid_grant');
});

test('a second consent without prompt=consent gives no refresh token', async () => {
  const auth = createOAuth();
  const consent = async () => {
    const page = auth.generateAuthUrl({ access_type: 'offline', scope: [readonly] });
    const { code = '' } = await openConsentPage(page, address);
    return (await auth.getToken(code)).tokens;
  };
  expect((await consent()).refresh_token).toBeDefined();
  expect((await consent()).refresh_token).toBeUndefined();
});

test("a watch pushes at once and for each new mail with its label, with tokens that Google's own client accepts", async () => {
  const gmail = createMail();
  const { data } = await gmail.users.watch({ userId, requestBody: { topicName: topic, labelIds: ['INBOX'] } });
  expect(Number(data.expiration) - clock.now().getTime()).toBeGreaterThan(6 * 86_400_000);
  const mail = fake.addMail(address);
  fake.addMail(address, {}, ['SENT']);
  await fake.settle();
  expect(pushes.map((push) => push.data)).toEqual([
    { emailAddress: address, historyId: Number(data.historyId) },
    { emailAddress: address, historyId: Number(mail.historyId) },
  ]);
  const { authorization = '', subscription } = pushes[1] ?? {};
  expect(subscription).toBe(fake.subscription.name);
  const verify = (idToken: string) => createOAuth().verifyIdToken({ idToken, audience: fake.subscription.audience });
  const ticket = await verify(authorization.replace('Bearer ', ''));
  expect(ticket.getPayload()).toMatchObject({ email: fake.subscription.serviceAccount, email_verified: true });
  const claims = pushClaims(fake.subscription, clock.now());
  for (const forgery of ['alg_none', 'hs256_with_public_key', 'another_key', 'unknown_kid'] as const)
    await expect(verify(fake.keys.forge(claims, forgery))).rejects.toThrow();
  const changes: object[] = [{ aud: 'https://other.example' }, { iss: 'https://evil.example' }, { exp: 1, iat: 0 }];
  for (const change of changes) await expect(verify(fake.keys.sign({ ...claims, ...change }))).rejects.toThrow();
  const published = await (await fetch(fake.settings.GOOGLE_JWKS_URL ?? '')).json();
  expect(published).toMatchObject({ keys: [{ kty: 'RSA', alg: 'RS256', use: 'sig', kid: 'fake-key-1' }] });
  fake.keys.rotate();
  await expect(verify(fake.keys.sign(claims))).resolves.toBeDefined();
});

test('history lists what came after an id in pages, leaves the list out when it is empty, and forgets', async () => {
  const gmail = createMail();
  const start = (await gmail.users.getProfile({ userId })).data.historyId ?? '';
  const query = { userId, startHistoryId: start, historyTypes: ['messageAdded'], labelId: 'INBOX', maxResults: 2 };
  expect((await gmail.users.history.list(query)).data).toEqual({ historyId: start });
  const ids = ['a', 'b', 'c'].map((subject) => fake.addMail(address, { subject }).id);
  const first = (await gmail.users.history.list(query)).data;
  const second = (await gmail.users.history.list({ ...query, pageToken: first.nextPageToken ?? '' })).data;
  const added = [...(first.history ?? []), ...(second.history ?? [])].flatMap((it) => it.messagesAdded ?? []);
  expect(added.map(({ message }) => message?.id)).toEqual(ids);
  fake.trimHistory(address);
  await expect(gmail.users.history.list(query)).rejects.toMatchObject({ status: 404 });
  const list = await gmail.users.messages.list({ userId, labelIds: ['INBOX'], q: 'after:0' });
  expect(list.data.messages?.map(({ id }) => id)).toEqual(ids.toReversed());
});

test('a message has its MIME tree, and attachments are read one by one', async () => {
  const gmail = createMail();
  const bytes = Buffer.from('%PDF');
  const attachments = [{ name: 'bill.pdf', contentType: 'application/pdf', bytes }];
  const { id } = fake.addMail(address, { subject: 'Bill', text: 'Pay now', html: '<p>Pay now</p>', attachments });
  const { payload } = (await gmail.users.messages.get({ userId, id, format: 'full' })).data;
  expect(payload?.mimeType).toBe('multipart/mixed');
  const [body, file] = payload?.parts ?? [];
  expect(body?.parts?.map(({ mimeType }) => mimeType)).toEqual(['text/plain', 'text/html']);
  expect(Buffer.from(body?.parts?.[0]?.body?.data ?? '', 'base64url').toString()).toBe('Pay now');
  const attachmentId = file?.body?.attachmentId ?? '';
  const { data } = await gmail.users.messages.attachments.get({ userId, messageId: id, id: attachmentId });
  expect(Buffer.from(data.data ?? '', 'base64url')).toEqual(bytes);
  await expect(gmail.users.messages.get({ userId, id: 'nothing' })).rejects.toMatchObject({ status: 404 });
});

test('a topic without the grant, another project and a second topic are refused as Gmail does', async () => {
  const gmail = createMail();
  const watch = (topicName: string) => gmail.users.watch({ userId, requestBody: { topicName } });
  const reasonOf = (outcome: Promise<unknown>) =>
    outcome.then(
      () => 'none',
      (error: { status: number; message: string }) => `${error.status} ${error.message}`,
    );
  fake.world.topics.set(topic, 'denied');
  expect(await reasonOf(watch(topic))).toContain('403 Error sending test message to Cloud PubSub');
  fake.world.topics.delete(topic);
  expect(await reasonOf(watch(topic))).toContain('Resource not found (resource=mail)');
  expect(await reasonOf(watch('projects/other/topics/mail'))).toContain('400 Invalid topicName does not match');
  fake.world.topics.set(topic, 'granted').set(`${topic}-2`, 'granted');
  await watch(topic);
  expect(await reasonOf(watch(`${topic}-2`))).toContain('Only one user push notification client');
  await gmail.users.stop({ userId });
  expect(await reasonOf(watch(`${topic}-2`))).toBe('none');
});

test('a push that is not acknowledged comes again, after a growing pause', async () => {
  status = 500;
  fake.publish({ emailAddress: address, historyId: 1 });
  await fake.settle();
  await clock.advance(100);
  expect(pushes).toHaveLength(2);
  status = 204;
  await clock.advance(250);
  await clock.advance(3_600_000);
  expect(pushes).toHaveLength(3);
});

test('a request over the quota is refused with 403 once', async () => {
  const gmail = createMail();
  fake.gmail.fault({ path: '/gmail/v1/users/me/profile', action: rateLimited(403) });
  const data = { error: { code: 403, errors: [{ reason: 'userRateLimitExceeded', domain: 'usageLimits' }] } };
  await expect(gmail.users.getProfile({ userId })).rejects.toMatchObject({ status: 403, response: { data } });
  expect((await gmail.users.getProfile({ userId })).status).toBe(200);
});
