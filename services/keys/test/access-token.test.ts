import { MailProvider } from '@agentmesh/proto/keys/v1/integrations';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { oauthError } from '../../../test/fakes/microsoft/login.ts';
import { address, connect, openIntegrations, type Side, type TestIntegrations } from './open-integrations.ts';
import type { TestKeys } from './open-keys.ts';

let opened: TestIntegrations;
/** Another replica on the same database. */
let second: TestKeys;

beforeAll(async () => {
  opened = await openIntegrations();
  second = await opened.replica();
});
beforeEach(() => opened.reset());
afterAll(async () => {
  await second[Symbol.asyncDispose]();
  await opened[Symbol.asyncDispose]();
});

/** Connects a mail account whose stored access token has expired. */
async function connectExpired(side: Side): Promise<string> {
  const { accountId } = await connect(opened.keys, side);
  await opened.keys.rows(`update integrations set access_expires_at = now() where account_id = '${accountId}'`);
  side.accounts.reset();
  return accountId;
}

const needsReconnect = async (accountId: string): Promise<boolean | undefined> =>
  (await opened.keys.integrations.listIntegrations({ accountId })).integrations[0]?.needsReconnect;

const reconnect = { code: 'failed_precondition', reason: 'integration_reconnect_required' };
const unavailable = { code: 'unavailable', reason: 'mail_provider_unavailable' };

describe.each(['microsoft', 'google'] as const)('%s', (word) => {
  const side = () => opened.side(word);
  const get = (accountId: string, more: { fresh?: boolean } = {}, keys = opened.keys) =>
    keys.integrations.getAccessToken({ accountId, provider: side().provider, ...more });
  const refreshes = () => side().accounts.callsOf('POST', side().tokenPath);

  test('a stored token is used while it is valid, and a fresh one is always fetched', async () => {
    const { accountId, integration } = await connect(opened.keys, side());
    side().accounts.reset();
    const first = await get(accountId);
    expect(first).toMatchObject({ integrationId: integration.id, username: address });
    expect(first.expireTime * 1000 - Date.now()).toBeGreaterThan(3_000_000);
    expect((await get(accountId)).accessToken).toBe(first.accessToken);
    expect(refreshes()).toHaveLength(0);
    expect((await get(accountId, { fresh: true })).accessToken).not.toBe(first.accessToken);
    expect(refreshes()).toHaveLength(1);
  });

  test('two replicas that need a token at once refresh it once', async () => {
    const accountId = await connectExpired(side());
    const { promise: until, resolve } = Promise.withResolvers<void>();
    side().accounts.fault({ path: side().tokenPath, action: { until } });
    const calls = [opened.keys, second].flatMap((keys) => Array.from({ length: 5 }, () => get(accountId, {}, keys)));
    await expect.poll(() => refreshes().length).toBe(1);
    resolve();
    const tokens = new Set((await Promise.all(calls)).map(({ accessToken }) => accessToken));
    expect([tokens.size, refreshes().length]).toEqual([1, 1]);
  });

  test('fresh tokens that two replicas ask for at once come one after another', async () => {
    const accountId = await connectExpired(side());
    const { promise: until, resolve } = Promise.withResolvers<void>();
    side().accounts.fault({ path: side().tokenPath, action: { until } });
    const calls = [opened.keys, second].map((keys) => get(accountId, { fresh: true }, keys));
    await expect.poll(() => refreshes().length).toBe(1);
    resolve();
    const tokens = new Set((await Promise.all(calls)).map(({ accessToken }) => accessToken));
    expect([tokens.size, refreshes().length]).toEqual([2, 2]);
  });

  test('a replica that died while it refreshed blocks nobody for longer than its lease', async () => {
    const accountId = await connectExpired(side());
    const dead = `lease = gen_random_uuid(), lease_until = clock_timestamp() + interval '0.4 seconds'`;
    await opened.keys.rows(`update integrations set ${dead} where account_id = '${accountId}'`);
    expect((await get(accountId)).accessToken).not.toBe('');
  });

  test('an answer that was lost after the rotation costs one failed call', async () => {
    const accountId = await connectExpired(side());
    side().accounts.fault({ path: side().tokenPath, action: 'lose' });
    await expect(get(accountId)).rejects.toMatchObject(unavailable);
    expect((await get(accountId)).accessToken).not.toBe('');
  });

  test('a refresh without a new refresh token keeps the stored one', async () => {
    const accountId = await connectExpired(side());
    side().fake.world.authorization.omitRefreshToken = true;
    for (let round = 0; round < 3; round += 1) await get(accountId, { fresh: true });
    expect(await needsReconnect(accountId)).toBe(false);
  });

  test('a revoked consent needs a new one, and the provider is not asked again until then', async () => {
    const accountId = await connectExpired(side());
    side().fake.world.authorization.revoke(address);
    await expect(get(accountId)).rejects.toMatchObject(reconnect);
    expect(await needsReconnect(accountId)).toBe(true);
    await expect(get(accountId, { fresh: true })).rejects.toMatchObject(reconnect);
    expect(refreshes()).toHaveLength(1);
    await connect(opened.keys, side(), { accountId });
    expect(await needsReconnect(accountId)).toBe(false);
    expect((await get(accountId, { fresh: true })).accessToken).not.toBe('');
  });

  test('a refusal of the former token does not harm a connection that was renewed meanwhile', async () => {
    const accountId = await connectExpired(side());
    const { promise: until, resolve } = Promise.withResolvers<void>();
    side().accounts.fault({ path: side().tokenPath, action: { until } });
    side().fake.world.authorization.revoke(address);
    const waiting = get(accountId);
    await expect.poll(() => refreshes().length).toBe(1);
    await connect(opened.keys, side(), { accountId });
    resolve();
    expect((await waiting).accessToken).not.toBe('');
    expect(await needsReconnect(accountId)).toBe(false);
  });

  test("the operator's wrong secret marks no integration", async () => {
    const accountId = await connectExpired(side());
    await using wrong = await opened.replica({
      [word === 'microsoft' ? 'MICROSOFT_CLIENT_SECRET' : 'GOOGLE_CLIENT_SECRET']: 'wrong',
    });
    const misconfigured = { code: 'unavailable', reason: 'mail_provider_misconfigured' };
    await expect(get(accountId, {}, wrong)).rejects.toMatchObject(misconfigured);
    expect(await needsReconnect(accountId)).toBe(false);
    expect((await get(accountId)).accessToken).not.toBe('');
  });

  test.each([
    ['429', { status: 429, headers: { 'retry-after': '1' } }],
    ['503', { status: 503, body: '<html>busy</html>' }],
    ['400 without JSON', { status: 400, body: '<html>invalid_grant</html>' }],
    ['400 with an unknown error', { status: 400, body: { error: 'a_new_error', error_description: 'invalid_grant' } }],
    ['a redirect', { status: 302, headers: { location: 'https://evil.example/' } }],
    ['a broken connection', 'drop'],
    ['half an answer', 'truncate'],
    ['invalid JSON', 'malformed'],
    ['no token', { status: 200, body: { token_type: 'Bearer' } }],
  ] as const)('%s marks no integration, and a later call succeeds', async (_, action) => {
    const accountId = await connectExpired(side());
    side().accounts.fault({ path: side().tokenPath, action });
    await expect(get(accountId)).rejects.toMatchObject(unavailable);
    expect(await needsReconnect(accountId)).toBe(false);
    expect((await get(accountId)).accessToken).not.toBe('');
  });

  test('tokens cannot be read after ENCRYPT_KEY was lost, and can with the former key', async () => {
    const accountId = await connectExpired(side());
    await using lost = await opened.replica({ ENCRYPT_KEY: 'another encrypt key, which tests use' });
    await expect(get(accountId, {}, lost)).rejects.toMatchObject(reconnect);
    const { integrations } = await lost.integrations.listIntegrations({ accountId });
    expect(integrations).toMatchObject([{ username: address, needsReconnect: true }]);
    await connect(lost, side(), { accountId });
    expect((await get(accountId, { fresh: true }, lost)).accessToken).not.toBe('');
    await expect(get(accountId)).rejects.toMatchObject(reconnect);
    await using rotated = await opened.replica({ ENCRYPT_KEY_PREVIOUS: 'another encrypt key, which tests use' });
    expect((await get(accountId, {}, rotated)).accessToken).not.toBe('');
  });

  test('a disconnected account has no token, except to end its subscriptions, for a day', async () => {
    const { accountId, integration } = await connect(opened.keys, side());
    const { provider } = side();
    const { integrationId } = await opened.keys.integrations.disconnect({ accountId, provider });
    expect(integrationId).toBe(integration.id);
    const missing = { code: 'not_found', reason: 'integration_missing' };
    await expect(get(accountId)).rejects.toMatchObject(missing);
    await expect(opened.keys.integrations.disconnect({ accountId, provider })).rejects.toMatchObject(missing);
    expect((await opened.keys.integrations.listIntegrations({ accountId })).integrations).toEqual([]);
    const ending = { accountId, integrationId };
    expect((await opened.keys.integrations.getAccessToken({ ...ending, fresh: true })).accessToken).not.toBe('');
    await connect(opened.keys, side(), { accountId });
    await opened.keys.rows(
      `update integrations set ended_at = now() - interval '25 hours' where id = ${integrationId}`,
    );
    await opened.keys.settle();
    await expect(opened.keys.integrations.getAccessToken(ending)).rejects.toMatchObject(missing);
    expect((await get(accountId)).accessToken).not.toBe('');
  });

  test('the tokens of a disconnected account are erased once its subscriptions have ended', async () => {
    const { accountId, integration } = await connect(opened.keys, side());
    const finish = () => opened.keys.integrations.finishDisconnect({ accountId, integrationId: integration.id });
    await finish();
    expect((await get(accountId)).accessToken).not.toBe('');
    await opened.keys.integrations.disconnect({ accountId, provider: side().provider });
    await finish();
    await finish();
    expect(await opened.keys.rows(`select 1 from integrations where account_id = '${accountId}'`)).toEqual([]);
  });

  test('a deleted account is erased, and the database holds no token in plain text', async () => {
    const { accountId } = await connect(opened.keys, side());
    await get(accountId, { fresh: true });
    const rows = await opened.keys.rows(`select to_json(it)::text as text from integrations it`);
    expect(JSON.stringify(rows)).not.toMatch(/-(access|refresh|code)-\d/);
    await opened.keys.announceDeletion(accountId);
    expect(await opened.keys.rows(`select 1 from integrations where account_id = '${accountId}'`)).toEqual([]);
  });
});

describe('microsoft', () => {
  const get = (accountId: string) =>
    opened.keys.integrations.getAccessToken({ accountId, provider: MailProvider.MICROSOFT, fresh: true });

  test('a rotated refresh token is stored before its access token is used, so the former one is never needed', async () => {
    const accountId = await connectExpired(opened.side('microsoft'));
    opened.microsoft.world.authorization.refuseSuperseded = true;
    for (let round = 0; round < 4; round += 1) expect((await get(accountId)).accessToken).not.toBe('');
  });

  test.each([
    ['invalid_grant', 700_082, reconnect],
    ['invalid_grant', 50_173, reconnect],
    ['interaction_required', 50_076, reconnect],
    ['invalid_client', 7_000_222, { reason: 'mail_provider_misconfigured' }],
    ['invalid_grant', 7_000_215, { reason: 'mail_provider_misconfigured' }],
    ['unauthorized_client', 700_016, { reason: 'mail_provider_misconfigured' }],
    ['invalid_grant', 90_033, unavailable],
  ])('%s with the number %i is told apart', async (error, number, expected) => {
    const side = opened.side('microsoft');
    const accountId = await connectExpired(side);
    side.accounts.fault({ path: side.tokenPath, action: oauthError(400, error, number) });
    await expect(get(accountId)).rejects.toMatchObject(expected);
    expect(await needsReconnect(accountId)).toBe(expected === reconnect);
  });
});
