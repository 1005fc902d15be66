import { randomUUID } from 'node:crypto';
import { openDatabase } from '@agentmesh/lib/pg';
import { heldWrites } from '@agentmesh/lib/pg/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import { MailProvider } from '@agentmesh/proto/keys/v1/integrations';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openConsentPage } from '../../../test/fakes/upstream/index.ts';
import { address, connect, openIntegrations, redirectUri, type TestIntegrations } from './open-integrations.ts';
import { openKeys } from './open-keys.ts';

let opened: TestIntegrations;

beforeAll(async () => {
  opened = await openIntegrations();
});
beforeEach(() => opened.reset());
afterAll(() => opened[Symbol.asyncDispose]());

describe.each(['microsoft', 'google'] as const)('%s', (word) => {
  const side = () => opened.side(word);

  test('a user who consents has an integration, and another account does not see it', async () => {
    const { accountId, integration } = await connect(opened.keys, side());
    expect(integration).toMatchObject({ username: address, displayName: 'Ada Lovelace', needsReconnect: false });
    const list = await opened.keys.integrations.listIntegrations({ accountId });
    expect(list.integrations).toEqual([integration]);
    const other = await opened.keys.integrations.listIntegrations({ accountId: randomUUID() });
    expect(other.integrations).toEqual([]);
    const foreign = { accountId: randomUUID(), integrationId: integration.id, provider: side().provider };
    const missing = { code: 'not_found', reason: 'integration_missing' };
    await expect(opened.keys.integrations.getAccessToken(foreign)).rejects.toMatchObject(missing);
  });

  test('a state is used up by its first use, also when that fails', async () => {
    const { provider, accounts, tokenPath } = side();
    const accountId = randomUUID();
    const { url } = await opened.keys.integrations.startConnect({ accountId, provider, redirectUri });
    const { code = '', state } = await openConsentPage(url, address);
    const finish = () => opened.keys.integrations.finishConnect({ accountId, provider, code, state });
    accounts.fault({ path: tokenPath, action: { status: 503 } });
    await expect(finish()).rejects.toMatchObject({ code: 'unavailable', reason: 'mail_provider_unavailable' });
    await expect(finish()).rejects.toMatchObject({ code: 'invalid_argument', reason: 'connect_state_invalid' });
  });

  test('a state of another account or provider is refused and used up', async () => {
    const { provider } = side();
    const accountId = randomUUID();
    const other = provider === MailProvider.GOOGLE ? MailProvider.MICROSOFT : MailProvider.GOOGLE;
    const attempts = [
      { accountId: randomUUID(), provider },
      { accountId, provider: other },
    ];
    for (const attempt of attempts) {
      const { state } = await opened.keys.integrations.startConnect({ accountId, provider, redirectUri });
      const finish = (it: object) =>
        opened.keys.integrations.finishConnect({ accountId, provider, code: 'c', state, ...it });
      await expect(finish(attempt)).rejects.toMatchObject({
        code: 'permission_denied',
        reason: 'connect_state_foreign',
      });
      await expect(finish({})).rejects.toMatchObject({ reason: 'connect_state_invalid' });
    }
  });

  test('a state expires after ten minutes, and belongs to its redirect URI', async () => {
    const { provider } = side();
    const accountId = randomUUID();
    const start = () => opened.keys.integrations.startConnect({ accountId, provider, redirectUri });
    const { state } = await start();
    await opened.keys.rows(
      `update connect_states set expires_at = now() - interval '1 second' where account_id = '${accountId}'`,
    );
    const invalid = { code: 'invalid_argument', reason: 'connect_state_invalid' };
    const finish = (it: object) => opened.keys.integrations.finishConnect({ accountId, provider, code: 'c', ...it });
    await expect(finish({ state })).rejects.toMatchObject(invalid);
    const second = await start();
    await expect(finish({ state: second.state, redirectUri: 'https://app.example/x' })).rejects.toMatchObject(invalid);
    await expect(finish({ state: '' })).rejects.toMatchObject(invalid);
  });

  test('a code of another consent page is refused, because its verifier is another one', async () => {
    const { provider } = side();
    const accountId = randomUUID();
    const start = () => opened.keys.integrations.startConnect({ accountId, provider, redirectUri });
    const [first, second] = [await start(), await start()];
    const { code = '' } = await openConsentPage(first.url, address);
    const finish = opened.keys.integrations.finishConnect({ accountId, provider, code, state: second.state });
    await expect(finish).rejects.toMatchObject({ code: 'invalid_argument', reason: 'connect_code_refused' });
  });

  test("the operator's wrong client secret is reported as such", async () => {
    const { provider } = side();
    const secret = word === 'microsoft' ? 'MICROSOFT_CLIENT_SECRET' : 'GOOGLE_CLIENT_SECRET';
    await using wrong = await opened.replica({ [secret]: 'wrong' });
    const accountId = randomUUID();
    const { url } = await wrong.integrations.startConnect({ accountId, provider, redirectUri });
    const { code = '', state } = await openConsentPage(url, address);
    const finish = wrong.integrations.finishConnect({ accountId, provider, code, state });
    await expect(finish).rejects.toMatchObject({ code: 'unavailable', reason: 'mail_provider_misconfigured' });
  });

  test('connecting again keeps the integration, and its refresh token when the provider gives no new one', async () => {
    const { accountId, integration } = await connect(opened.keys, side());
    const before = await opened.keys.rows(`select refresh_token from integrations where account_id = '${accountId}'`);
    side().accounts.fault({ path: side().tokenPath, action: withoutRefreshToken(word) });
    const profile = word === 'microsoft' ? opened.microsoft.graph : opened.google.accounts;
    profile.fault({ method: 'GET', path: /me$|userinfo$/, action: { status: 200, body: profileOf(word) } });
    const again = await connect(opened.keys, side(), { accountId });
    expect(again.integration.id).toBe(integration.id);
    expect(await opened.keys.rows(`select refresh_token from integrations where account_id = '${accountId}'`)).toEqual(
      before,
    );
    const { accessToken } = await opened.keys.integrations.getAccessToken({
      accountId,
      provider: side().provider,
      fresh: true,
    });
    expect(accessToken).not.toBe('');
  });

  test('the first connection without a refresh token is refused', async () => {
    side().accounts.fault({ path: side().tokenPath, action: withoutRefreshToken(word) });
    const profile = word === 'microsoft' ? opened.microsoft.graph : opened.google.accounts;
    profile.fault({ method: 'GET', path: /me$|userinfo$/, action: { status: 200, body: profileOf(word) } });
    const refused = { code: 'invalid_argument', reason: 'refresh_token_missing' };
    await expect(connect(opened.keys, side())).rejects.toMatchObject(refused);
  });

  test('a consent without the permission to read mail is refused', async () => {
    const body = {
      access_token: 'a',
      refresh_token: 'r',
      expires_in: 3599,
      token_type: 'Bearer',
      scope: 'openid email',
    };
    side().accounts.fault({ path: side().tokenPath, action: { status: 200, body } });
    const refused = { code: 'invalid_argument', reason: 'mail_permission_missing' };
    await expect(connect(opened.keys, side())).rejects.toMatchObject(refused);
  });

  test('connecting another mail account ends the former integration and begins a new one', async () => {
    const { accountId, integration } = await connect(opened.keys, side());
    side().fake.addUser('eve@mail.example');
    const other = await connect(opened.keys, side(), { accountId, user: 'eve@mail.example' });
    expect(other.integration.id).not.toBe(integration.id);
    const { integrations: ending } = await opened.keys.integrations.listEndingIntegrations({});
    expect(ending).toContainEqual(expect.objectContaining({ accountId, integrationId: integration.id }));
    const list = await opened.keys.integrations.listIntegrations({ accountId });
    expect(list.integrations).toEqual([other.integration]);
  });
});

test.each([
  ['google', { email: address, name: 'Ada' }, 200],
  ['google', { id: '7', email: address, verified_email: true }, 200],
  ['google', { sub: '7', email: address, email_verified: false }, 'mail_profile_refused'],
  ['google', { sub: '7' }, 'mail_profile_refused'],
  ['microsoft', { userPrincipalName: address }, 200],
  ['microsoft', { id: '7', mail: null, userPrincipalName: address }, 200],
  ['microsoft', { id: '7', mail: ' ' }, 'mail_profile_refused'],
] as const)('the profile of %s may lack what is not needed: %j', async (word, body, expected) => {
  const profile = word === 'microsoft' ? opened.microsoft.graph : opened.google.accounts;
  profile.fault({ method: 'GET', path: /me$|userinfo$/, action: { status: 200, body } });
  const connected = connect(opened.keys, opened.side(word));
  if (expected === 200) expect((await connected).integration.username).toBe(address);
  else await expect(connected).rejects.toMatchObject({ reason: expected });
});

test.each(['microsoft', 'google'] as const)(
  'while the profile of %s cannot be read, the OpenID token names the user',
  async (word) => {
    const first = await connect(opened.keys, opened.side(word));
    const profile = word === 'microsoft' ? opened.microsoft.graph : opened.google.accounts;
    profile.fault({ method: 'GET', path: /me$|userinfo$/, action: { status: 503 } });
    const { integration } = await connect(opened.keys, opened.side(word), { accountId: first.accountId });
    expect(integration).toMatchObject({ id: first.integration.id, username: address, displayName: 'Ada Lovelace' });
  },
);

test('a code for which the provider gives no token is refused', async () => {
  const side = opened.side('microsoft');
  side.accounts.fault({ path: side.tokenPath, action: { status: 200, body: { token_type: 'Bearer' } } });
  await expect(connect(opened.keys, side)).rejects.toMatchObject({ reason: 'connect_code_refused' });
});

test('a token answer may lack the scope and the life of the token', async () => {
  const side = opened.side('microsoft');
  const { accountId } = await connect(opened.keys, side);
  side.accounts.fault({ path: side.tokenPath, action: { status: 200, body: { access_token: 'plain' } } });
  const get = (fresh: boolean) =>
    opened.keys.integrations.getAccessToken({ accountId, provider: side.provider, fresh });
  expect((await get(true)).accessToken).toBe('plain');
  expect((await get(false)).accessToken).toBe('plain');
});

test.each([
  'https://user:pass@app.example/callback',
  'https://app.example/callback#fragment',
  'javascript:alert(1)',
  'ftp://app.example/callback',
  '/callback',
  '',
])('the redirect URI %j is refused', async (uri) => {
  const request = { accountId: randomUUID(), provider: MailProvider.GOOGLE, redirectUri: uri };
  const refused = { code: 'invalid_argument', reason: 'redirect_uri_invalid' };
  await expect(opened.keys.integrations.startConnect(request)).rejects.toMatchObject(refused);
});

test('an account has at most 20 open consent pages', async () => {
  const accountId = randomUUID();
  const request = { accountId, provider: MailProvider.GOOGLE, redirectUri };
  for (let round = 0; round < 22; round += 1) await opened.keys.integrations.startConnect(request);
  const rows = await opened.keys.rows(`select 1 from connect_states where account_id = '${accountId}'`);
  expect(rows).toHaveLength(20);
});

test('a provider that is not configured is refused, and the error names the settings', async () => {
  await using keys = await openKeys();
  const request = { accountId: randomUUID(), provider: MailProvider.MICROSOFT, redirectUri: 'http://127.0.0.1:8000/' };
  await expect(keys.integrations.startConnect(request)).rejects.toMatchObject({
    code: 'unavailable',
    reason: 'mail_provider_not_configured',
    message: expect.stringContaining('MICROSOFT_CLIENT_ID and MICROSOFT_CLIENT_SECRET'),
  });
});

/** An answer of the token endpoint that has no refresh token, as after a consent that was given before. */
function withoutRefreshToken(word: 'microsoft' | 'google') {
  const scope =
    word === 'microsoft' ? 'User.Read Mail.Read' : 'openid email https://www.googleapis.com/auth/gmail.readonly';
  return { status: 200, body: { access_token: 'prepared', expires_in: 3599, token_type: 'Bearer', scope } };
}

function profileOf(word: 'microsoft' | 'google'): object {
  const { id } = (word === 'microsoft' ? opened.microsoft : opened.google).world.mailboxOf(address).user;
  return word === 'microsoft'
    ? { id, mail: address, displayName: 'Ada Lovelace' }
    : { sub: id, email: address, email_verified: true };
}

test.each([
  ['disconnected', 'update integrations set ended_at = now() where account_id = $1'],
  ['disconnected and erased', 'delete from integrations where account_id = $1'],
])('connecting again while the integration is being %s begins a new one', async (_, text) => {
  const { keys } = opened;
  const side = opened.side('google');
  const { accountId, integration } = await connect(keys, side);
  const options = {
    service: 'keys',
    url: keys.databaseUrl,
    poolSize: 3,
    migrations: new URL('../migrations/', import.meta.url),
  };
  await using db = await openDatabase(options, createLogger({ level: 'silent', name: 'test' }));
  const begun: ReturnType<typeof connect>[] = [];
  const waiting = 'select from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))';
  await db.transaction(async (tx) => {
    await tx.query({ text }, [accountId]);
    begun.push(connect(keys, side, { accountId }));
    await expect.poll(async () => (await tx.query({ text: waiting })).length, { timeout: 10_000 }).toBe(1);
  });
  const [again] = await Promise.all(begun);
  expect(again?.integration.id).not.toBe(integration.id);
  const { integrations } = await keys.integrations.listIntegrations({ accountId });
  expect(integrations).toEqual([again?.integration]);
});

test('250 consent pages that are opened at once at five replicas leave 20 open', async () => {
  await using replicas = new AsyncDisposableStack();
  const all = [opened.keys];
  while (all.length < 5) all.push(replicas.use(await opened.replica()));
  const accountId = randomUUID();
  const request = { accountId, provider: MailProvider.GOOGLE, redirectUri };
  const starts = all.flatMap((keys) => Array.from({ length: 50 }, () => keys.integrations.startConnect(request)));
  await Promise.all(starts);
  const rows = await opened.keys.rows(`select 1 from connect_states where account_id = '${accountId}'`);
  expect(rows).toHaveLength(20);
});

test('consent pages whose transactions meet leave 20 open', async () => {
  const { keys } = opened;
  const accountId = randomUUID();
  const start = () => keys.integrations.startConnect({ accountId, provider: MailProvider.GOOGLE, redirectUri });
  for (let stored = 0; stored < 20; stored += 1) await start();
  const held = { url: keys.databaseUrl, table: 'keys.connect_states', atLeast: 2 };
  await heldWrites(held, () => Promise.all(Array.from({ length: 8 }, start)));
  expect(await keys.rows(`select 1 from connect_states where account_id = '${accountId}'`)).toHaveLength(20);
});
