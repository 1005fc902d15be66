import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { NotificationsService } from '@agentmesh/proto/webhooks/v1/notifications';
import type { Client } from '@connectrpc/connect';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { notificationsOf, type OpenWebhooks, openWebhooks } from './open-webhooks.ts';

const subscription = 'projects/p/subscriptions/s';
const audience = 'https://mesh.example/push';
const serviceAccount = 'push@p.iam.gserviceaccount.com';
const { privateKey, publicKey } = await generateKeyPair('RS256');
const stranger = (await generateKeyPair('RS256')).privateKey;

const resources = new AsyncDisposableStack();
let service: OpenWebhooks;
let client: Client<typeof NotificationsService>;
let accountId: string;
let watch: bigint;

beforeAll(async () => {
  const keys = createServer((_request, response) => {
    void exportJWK(publicKey).then((jwk) => {
      response.end(JSON.stringify({ keys: [{ ...jwk, kid: 'k1', alg: 'RS256', use: 'sig' }] }));
    });
  });
  keys.listen(0, '127.0.0.1');
  await once(keys, 'listening');
  resources.defer(() => void keys.close());
  service = resources.use(
    await openWebhooks({
      GOOGLE_JWKS_URL: `http://127.0.0.1:${(keys.address() as AddressInfo).port}/certs`,
      GOOGLE_WEBHOOK_AUDIENCE: audience,
      GOOGLE_WEBHOOK_SERVICE_ACCOUNT: serviceAccount,
      GMAIL_PUBSUB_SUBSCRIPTION: subscription,
    }),
  );
  client = notificationsOf(service);
});
afterAll(() => resources.disposeAsync());

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A watch that is claimed, so that the service makes no attempt at it. */
async function insertWatch(values: { provider: string; state?: string; changeType?: string }): Promise<bigint> {
  const { provider, state = 'active', changeType = 'created' } = values;
  const [row] = await service.db.query<{ id: bigint }>(
    {
      text: `insert into watches (account_id, provider, serves_mailbox, mailbox, integration_id, state, provider_id, path_token_hash, client_state_hash, cursor,
        look_at, claimed_until, created_at) values ($1, $2, $2 = 'google', $3, 1, $4, $5, $6, $7, 100, 'infinity', 'infinity', now()) returning id`,
    },
    [
      accountId,
      provider,
      mailboxOf(accountId),
      state,
      `id-${accountId}`,
      hash(`path-${accountId}`),
      hash(`state-${accountId}`),
    ],
  );
  await service.db.query(
    {
      text: `insert into subscriptions (account_id, watch_id, provider_name, resource, change_type, agent_id, state, active_since,
        created_at) values ($1, $2, 'x', 'x', $3, 1, $4, now(), now())`,
    },
    [accountId, row?.id, changeType, state === 'new' ? 'creating' : 'active'],
  );
  return row?.id ?? 0n;
}

const graph = { provider: 'microsoft' };
const gmail = { provider: 'google' };

const mailboxOf = (id: string): string => `${id}@example.com`;

beforeEach(async () => {
  accountId = randomUUID();
});

const logs = () =>
  service.db.query<{ message_id: string; change_type: string; status: string }>(
    { text: 'select message_id, change_type, status from logs where account_id = $1 order by id' },
    [accountId],
  );
const kinds = async () => (await logs()).map((log) => `${log.message_id} ${log.change_type}`);
/** The account's mailboxes that were asked for. The jobs that read them may be done already. */
const asked = () =>
  service.db.query<{ mailbox: string }>(
    { text: 'select mailbox from mailboxes where account_id = $1 and wanted > 0' },
    [accountId],
  );
const lookAt = async () =>
  (
    await service.db.query<{ due: boolean }>(
      { text: 'select look_requests > 0 as due from watches where account_id = $1' },
      [accountId],
    )
  )[0]?.due;

describe('a notification of Microsoft', () => {
  const item = (messageId: string, more: object = {}) => ({
    subscriptionId: `id-${accountId}`,
    clientState: `state-${accountId}`,
    changeType: 'created',
    resource: `Users/1/Messages/${messageId}`,
    resourceData: { id: messageId },
    ...more,
  });
  const receive = (items: readonly unknown[], pathToken = `path-${accountId}`) =>
    client.receiveNotification({ ...graph, pathToken, body: Buffer.from(JSON.stringify({ value: items })) });

  test('is stored once for each mail and kind of change, and asks for its mailbox', async () => {
    watch = await insertWatch({ provider: 'microsoft', changeType: 'created,updated' });
    await receive([item('A'), item('a'), item('A', { changeType: 'Updated' })]);
    await receive([item('A')], '');
    await Promise.all(['B', 'B', 'B', 'C'].map((id) => receive([item(id)])));
    await receive([item('D', { resourceData: undefined }), item('D')]);
    const stored = 'A created,A updated,B created,C created,D created,a created';
    expect((await kinds()).toSorted().join()).toBe(stored);
    expect(await asked()).toHaveLength(1);
  });

  test('that names no kind of change is about new mail, or about the first kind that is wanted', async () => {
    await insertWatch({ provider: 'microsoft' });
    await receive([item('A', { changeType: undefined, resourceData: undefined, tenantId: undefined }), item('A')]);
    expect(await kinds()).toEqual(['A created']);
    const text = `update subscriptions set change_type = 'updated,deleted' where account_id = $1`;
    await service.db.query({ text }, [accountId]);
    await receive([item('B', { changeType: null }), item('C', { changeType: 'banana' })]);
    expect(await kinds()).toEqual(['A created', 'B updated']);
  });

  test('that arrives before its subscription has an id is stored by its path', async () => {
    await insertWatch({ provider: 'microsoft', state: 'new' });
    await receive([item('A')]);
    expect(await logs()).toHaveLength(1);
  });

  test.each([
    ['a wrong client state', () => receive([item('A', { clientState: 'wrong' })])],
    ['a wrong client state on the shared path', () => receive([item('A', { clientState: 'wrong' })], '')],
    ['another path', () => receive([item('A')], 'path-unknown')],
    ['an unknown subscription on the shared path', () => receive([item('A', { subscriptionId: 'unknown' })], '')],
    ['a kind of change that nobody wants', () => receive([item('A', { changeType: 'updated' })])],
    ['no message', () => receive([item('A', { resource: 'Users/1/Events/A', resourceData: undefined })])],
    [
      'NUL',
      () => receive([item('A\0'), item('A', { clientState: '\0' }), item('A', { subscriptionId: '\uD800' })], ''),
    ],
    ['no items', () => receive([])],
    ['items of other kinds', () => receive([null, 1, 'x', [], {}])],
  ])('with %s is ignored', async (_, send) => {
    await insertWatch({ provider: 'microsoft' });
    await send();
    expect(await logs()).toEqual([]);
  });

  test.each(['', '{', 'null', '[]', '"x"', '{"value":{}}', '\u0000'])(
    'that is the text %j is ignored',
    async (body) => {
      await client.receiveNotification({ ...graph, pathToken: 'x'.repeat(10_000), body: Buffer.from(body) });
      await client.receiveNotification({ ...graph, body: Buffer.from(body) });
    },
  );

  test('among bad ones is stored', async () => {
    await insertWatch({ provider: 'microsoft' });
    await receive([null, item('bad', { clientState: 'wrong' }), item('good')]);
    expect((await logs()).map((log) => log.message_id)).toEqual(['good']);
  });

  test('about the life of the subscription plans what Microsoft asks for', async () => {
    watch = await insertWatch({ provider: 'microsoft' });
    const plan = async (lifecycleEvent: string) => {
      await receive([{ ...item('A'), changeType: undefined, resourceData: undefined, lifecycleEvent }]);
      // The service knows the clock of the server to some milliseconds.
      const text = `select state, next_attempt_at <= now() + interval '1 s' as attempt, look_requests::integer as looks, catch_up_from < now() as missed
        from watches where account_id = $1 and id = $2`;
      return (await service.db.query({ text }, [accountId, watch]))[0];
    };
    expect(await plan('missed')).toEqual({ state: 'active', attempt: null, looks: 1, missed: true });
    expect(await plan('reauthorizationRequired')).toMatchObject({ state: 'active', attempt: true, looks: 2 });
    expect(await plan('subscriptionRemoved')).toMatchObject({ state: 'new', attempt: true, looks: 3 });
    expect(await asked()).toHaveLength(1);
  });
});

describe('a push of Gmail', () => {
  const envelope = (data: unknown, name = subscription) =>
    Buffer.from(
      JSON.stringify({ message: { data: Buffer.from(JSON.stringify(data)).toString('base64') }, subscription: name }),
    );
  const claims = { email: serviceAccount, email_verified: true };
  const token = (
    overrides: object = {},
    { key = privateKey, expires = '1h', issuer = 'https://accounts.google.com' } = {},
  ) =>
    new SignJWT({ ...claims, ...overrides })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuer(issuer)
      .setIssuedAt()
      .setExpirationTime(expires)
      .setAudience((overrides as { aud?: string }).aud ?? audience)
      .sign(key);
  const push = async (body: Uint8Array, jwt?: string) =>
    client.receiveNotification({ provider: 'google', authorization: `Bearer ${jwt ?? (await token())}`, body });

  test('plans a look at the mailbox in every account, in any letter case', async () => {
    await insertWatch({ provider: 'google' });
    await push(envelope({ emailAddress: mailboxOf(accountId).toUpperCase(), historyId: 101 }));
    expect(await lookAt()).toBe(true);
    await push(envelope({ emailAddress: mailboxOf(accountId), historyId: '102' }));
    expect(await asked()).toHaveLength(1);
  });

  test('whose history was read already is ignored', async () => {
    await insertWatch({ provider: 'google' });
    await push(envelope({ emailAddress: mailboxOf(accountId), historyId: 100 }));
    expect(await lookAt()).toBe(false);
  });

  test('of another issuer spelling is taken', async () => {
    await push(envelope({}), await token({}, { issuer: 'accounts.google.com' }));
  });

  test.each(['', '{', 'null', '{"message":{"data":"!"}}', '{"message":1}'])(
    'that is authentic and says %j is ignored',
    async (body) => {
      await push(Buffer.from(body));
      await push(envelope({ emailAddress: 'a\0', historyId: 1 }));
      await push(envelope({ emailAddress: 'a@example.com', historyId: -1 }));
    },
  );

  const forged = async (encoded: string) => {
    const [, payload = ''] = (await token()).split('.');
    return `${Buffer.from(encoded).toString('base64url')}.${payload}.`;
  };
  test.each([
    ['another key', () => token({}, { key: stranger })],
    ['another audience', () => token({ aud: 'https://evil.example' })],
    ['several audiences', () => token({ aud: [audience, 'https://evil.example'] as unknown as string })],
    ['another service account', () => token({ email: 'other@p.iam.gserviceaccount.com' })],
    ['an address that is not verified', () => token({ email_verified: false })],
    ['another issuer', () => token({}, { issuer: 'https://evil.example' })],
    ['no time left', () => token({}, { expires: '-2m' })],
    ['no signature', () => forged('{"alg":"none","kid":"k1"}')],
    ['a symmetric signature', () => forged('{"alg":"HS256","kid":"k1"}')],
    ['an unknown key', () => forged('{"alg":"RS256","kid":"k2"}')],
    ['no JWT', () => Promise.resolve('x')],
    ['a huge token', () => Promise.resolve('x'.repeat(10_000))],
  ])('with %s is refused', async (_, make) => {
    const refused = { code: 'permission_denied', reason: 'push_refused' };
    await expect(push(envelope({}), await make())).rejects.toMatchObject(refused);
  });

  test('that just expired is taken, because clocks differ', async () => {
    await push(envelope({}), await token({}, { expires: '-30s' }));
  });

  test('for another Pub/Sub subscription is refused', async () => {
    const data = { emailAddress: 'a@example.com', historyId: 1 };
    await expect(push(envelope(data, 'projects/p/subscriptions/other'))).rejects.toMatchObject({
      reason: 'push_refused',
    });
  });

  test.each(['', 'Basic x', 'Bearer', 'Bearer '])(
    'without a bearer token (%j) is unauthenticated',
    async (authorization) => {
      const refused = { code: 'unauthenticated', reason: 'push_unauthenticated' };
      const call = client.receiveNotification({ ...gmail, authorization, body: envelope({}) });
      await expect(call).rejects.toMatchObject(refused);
    },
  );

  test('is refused while no service account or audience is set', async () => {
    for (const env of [{ GOOGLE_WEBHOOK_AUDIENCE: audience }, { GOOGLE_WEBHOOK_SERVICE_ACCOUNT: serviceAccount }]) {
      await using other = await openWebhooks(env);
      const push = { ...gmail, authorization: `Bearer ${await token()}`, body: envelope({}) };
      const call = notificationsOf(other).receiveNotification(push);
      await expect(call).rejects.toMatchObject({ reason: 'push_refused' });
    }
  });

  test('is unavailable while the keys cannot be read', async () => {
    await using other = await openWebhooks({
      GOOGLE_JWKS_URL: 'http://127.0.0.1:1/certs',
      GOOGLE_WEBHOOK_AUDIENCE: audience,
      GOOGLE_WEBHOOK_SERVICE_ACCOUNT: serviceAccount,
    });
    const push = { ...gmail, authorization: `Bearer ${await token()}`, body: envelope({}) };
    const call = notificationsOf(other).receiveNotification(push);
    await expect(call).rejects.toMatchObject({ code: 'unavailable', reason: 'push_keys_unavailable' });
  });
});
