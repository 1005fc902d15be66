import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type SessionJson, sessionPath } from '../../caller.ts';
import { pushClaims } from '../../fakes/google/push.ts';
import { base, openTriggers, pusher, type PushOptions, type Triggers } from '../adk/open-triggers.ts';

let triggers: Triggers;
beforeAll(async () => {
  triggers = await openTriggers();
});
afterAll(() => triggers[Symbol.asyncDispose]());

const message = (text: string, messageId: string) => ({
  message: { data: Buffer.from(text).toString('base64'), messageId },
  subscription: 'projects/p/subscriptions/s',
});
const runs = async () =>
  (await triggers.caller.request<readonly unknown[]>('GET', '/runs?limit=200')).body as readonly { status: string }[];
const now = () => Math.floor(Date.now() / 1000);

describe('a token', () => {
  const forged = (forgery: Parameters<Triggers['google']['keys']['forge']>[1]): PushOptions => {
    const audience = `${base}/apps/echo/trigger/pubsub`;
    const claims = pushClaims({ ...triggers.google.subscription, audience, serviceAccount: pusher }, new Date());
    return { authorization: `Bearer ${triggers.google.keys.forge(claims, forgery)}` };
  };

  test.each<readonly [number, string, () => PushOptions]>([
    [401, 'is missing', () => ({ authorization: '' })],
    [401, 'has another scheme', () => ({ authorization: 'Basic eA==' })],
    [403, 'is none', () => ({ authorization: 'Bearer x' })],
    [403, 'is endless', () => ({ authorization: `Bearer ${'x'.repeat(9_000)}` })],
    [403, 'is one of ours', () => ({ authorization: `Bearer ${triggers.caller.token}` })],
    [403, 'is for another server', () => ({ claims: { aud: 'https://other.example' } })],
    [403, 'is for another app', () => ({ claims: { aud: `${base}/apps/flow/trigger/pubsub` } })],
    [403, 'is for several audiences', () => ({ claims: { aud: [base, 'https://other.example'] } })],
    [403, 'has expired', () => ({ claims: { iat: now() - 7_200, exp: now() - 3_600 } })],
    [403, 'does not expire', () => ({ claims: { exp: undefined } })],
    [403, 'is of another issuer', () => ({ claims: { iss: 'https://accounts.example' } })],
    [403, 'is of another service account', () => ({ claims: { email: 'other@my-project.iam.gserviceaccount.com' } })],
    [403, 'has an address that nobody has verified', () => ({ claims: { email_verified: false } })],
    [403, 'has no address', () => ({ claims: { email: undefined } })],
    [403, 'is not signed', () => forged('alg_none')],
    [403, 'is signed with the public key', () => forged('hs256_with_public_key')],
    [403, 'is signed with another key', () => forged('another_key')],
  ])('is answered %i when it %s, and nothing runs', async (status, _, options) => {
    const before = (await runs()).length;
    for (const source of ['pubsub', 'eventarc']) {
      const answer = await triggers.push(message('hi', 'refused'), { ...options(), source });
      expect([source, answer.status]).toEqual([source, status]);
    }
    expect(await runs()).toHaveLength(before);
  });

  test('may be for the whole server, as Eventarc’s are', async () => {
    expect((await triggers.push(message('hi', 'whole'), { claims: { aud: base } })).status).toBe(200);
    expect((await triggers.push(message('hi', 'whole'), { claims: { aud: `${base}/` } })).status).toBe(200);
  });
});

describe('a body', () => {
  test.each<readonly [number, unknown]>([
    [422, ''],
    [422, '{'],
    [422, '[]'],
    [422, 'null'],
    [422, {}],
    [422, { message: null }],
    [422, { message: 'hi' }],
    [422, { message: { data: 7 } }],
    [422, { message: { attributes: { a: {} } } }],
    [422, { message: {}, subscription: 7 }],
    [400, { message: { data: 'a' } }],
    [400, { message: { data: '/////w==' } }],
    [422, `${'['.repeat(100_000)}`],
  ])('is answered %i for %j', async (status, body) => {
    const before = (await runs()).length;
    expect((await triggers.push(body)).status).toBe(status);
    expect(await runs()).toHaveLength(before);
  });

  test('of ten megabytes is a message like others', async () => {
    const large = message('x'.repeat(7_500_000), 'large');
    expect((await triggers.push(large)).status).toBe(200);
    expect((await triggers.push(message('hi', 'after it'))).status).toBe(200);
  });

  test('of 30 MB is refused', async () => {
    expect((await triggers.push(message('x'.repeat(22_500_000), 'huge'))).status).toBe(413);
  });
});

test('a message that is delivered many times at once and again later has one run', async () => {
  const before = (await runs()).length;
  const deliver = () => triggers.push(message('[[wait:300]] done', 'again'));
  const answers = await Promise.all(Array.from({ length: 12 }, deliver));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await deliver()).status).toBe(200);
  expect(await runs()).toHaveLength(before + 1);
});

test('a delivery whose caller gives up leaves its run alone, and the next one gets its end', async () => {
  const before = (await runs()).length;
  const leaving = new AbortController();
  const path = '/apps/echo/trigger/pubsub';
  const claims = pushClaims({ ...triggers.google.subscription, audience: base, serviceAccount: pusher }, new Date());
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${triggers.google.keys.sign(claims)}`,
  };
  const body = JSON.stringify(message('[[wait:1500]] done', 'left'));
  const given = fetch(triggers.mesh.url + path, { method: 'POST', headers, body, signal: leaving.signal });
  await vi.waitFor(async () => expect(await runs()).toHaveLength(before + 1));
  leaving.abort();
  await expect(given).rejects.toThrow('aborted');
  expect((await triggers.push(message('[[wait:1500]] done', 'left'))).status).toBe(200);
  const all = await runs();
  expect(all).toHaveLength(before + 1);
  expect(all[0]?.status).toBe('completed');
});

test('the runs of triggers say in the ledger what has triggered them', async () => {
  const [run] = (await runs()) as readonly { customMetadata?: unknown }[];
  expect(run?.customMetadata).toEqual({ trigger: 'pubsub', message_id: expect.any(String) });
});

test('a message whose run waits has no second one after a run with its id has failed in a copy of the session', async () => {
  const { caller } = triggers;
  const asks = { ...message('[[tool:request_input {}]] [[fail:gone]]', 'asks'), subscription: 'asking' };
  expect((await triggers.push(asks)).status).toBe(200);
  const [own] = await triggers.sessionsOf('asking');
  const invocationId = own?.events[0]?.invocationId ?? '';
  const fork = `${sessionPath(own as SessionJson)}/fork`;
  const { body: copy } = await caller.request<SessionJson>('POST', fork, { invocationId });
  const waiting = await caller.request<{ waitingFor: { functionCallId: string }[] }>('GET', `/runs/${invocationId}`);
  const id = waiting.body.waitingFor[0]?.functionCallId;
  const functionResponse = { id, name: 'request_input', response: { result: 'yes' } };
  await caller.run(copy, '', { newMessage: { role: 'user', parts: [{ functionResponse }] } });
  const { body: newest } = await caller.request('GET', `/runs/${invocationId}`);
  expect(newest).toMatchObject({ sessionId: copy.id, status: 'failed' });
  expect((await triggers.push(asks)).status).toBe(200);
  const ids = (await triggers.sessionsOf('asking')).map((session) => session.id);
  expect(new Set(ids)).toEqual(new Set([own?.id, copy.id]));
});

test('no line of the log has a token', () => {
  const text = triggers.mesh.lines.join('\n');
  expect(text).toContain('/trigger/pubsub');
  expect(text).not.toMatch(/Bearer|eyJ[A-Za-z0-9_-]{10}/);
});
