import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type FakeGoogleCredentials, startFakeGoogleCredentials } from '../../../test/fakes/google-credentials.ts';
import { openKeys } from './open-keys.ts';

const connector = 'projects/p-1/locations/us-central1/connectors/drive';
const authProvider = 'projects/p-1/locations/us-central1/authProviders/drive';
const accountId = randomUUID();
const email = 'ada@example.com';

let resources: AsyncDisposableStack;
let fake: FakeGoogleCredentials;

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  fake = resources.use(await startFakeGoogleCredentials());
  vi.stubEnv('GCE_METADATA_HOST', fake.metadataHost);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await resources.disposeAsync();
});

type Asked = Parameters<typeof openKeys>[1];

async function open(env: Record<string, string> = {}, known?: Asked) {
  const settings = { IAM_CONNECTOR_BASE_URL: fake.baseUrl, AGENT_IDENTITY_BASE_URL: fake.baseUrl, ...env };
  return resources.use(await openKeys(settings, known));
}

function request(over: object = {}) {
  const userIdValidationState = Buffer.from('bound to the user?>').toString('base64url');
  return {
    accountId,
    email,
    connectorName: connector,
    userId: email,
    userIdValidationState,
    consentNonce: randomUUID(),
    ...over,
  };
}

const reasonOf = (reason: string): unknown => expect.objectContaining({ reason });

describe('a consent flow', () => {
  test.each([
    ['the connector service', connector, 'v1alpha'],
    ['its successor', authProvider, 'v1'],
  ])('is finalized at %s, by the pattern of the resource', async (_, connectorName, version) => {
    const { client } = await open();
    const asked = request({ connectorName });
    expect((await client.finalizeCredential(asked)).refusal).toBeUndefined();
    expect(fake.finalized).toEqual([
      {
        resource: `${version}/${connectorName}`,
        userId: email,
        validationState: 'bound to the user?>',
        consentNonce: asked.consentNonce,
      },
    ]);
  });

  test('that becomes a long-running operation is followed to its end', async () => {
    const { client } = await open();
    fake.answer({ polls: 2 });
    expect((await client.finalizeCredential(request())).refusal).toBeUndefined();
    fake.answer({ polls: 1, error: { code: 9, message: 'The consent has expired.' } });
    const { refusal } = await client.finalizeCredential(request());
    expect(refusal).toMatchObject({ status: 400, message: 'Invalid credentials request: The consent has expired.' });
  });

  test('is followed under whatever name the operation has', async () => {
    const { client } = await open();
    for (const name of ['operations/akmf.p7-12-34', 'projects/p/locations/l/operations/a~b_c']) {
      fake.answer({ polls: 1, name, error: { code: 5, message: 'Gone.' } });
      expect((await client.finalizeCredential(request())).refusal).toMatchObject({ status: 404 });
    }
  });

  test('uses one access token again and again', async () => {
    const { client } = await open();
    for (let count = 0; count < 3; count += 1) await client.finalizeCredential(request());
    expect(fake.tokens).toBe(1);
  });
});

describe('the name of a connector', () => {
  test.each([
    '',
    'drive',
    'projects/p/locations/l/connectors/',
    'projects/p/locations/l/connectors/c/credentials',
    'projects/p/locations/l/connectors/../authProviders',
    'projects/p/locations/l/connectors/c%2F',
    'projects/p/locations/l/connectors/c?x=1',
    'projects/p/locations/l/connectors/c\n',
    'projects/P/locations/l/connectors/c',
    'projects/p/locations/l/secrets/c',
    '//evil.example/projects/p/locations/l/connectors/c',
  ])('is refused unless it is one: %j', async (connectorName) => {
    const { client } = await open();
    const call = client.finalizeCredential(request({ connectorName }));
    await expect(call).rejects.toEqual(reasonOf('connector_name_invalid'));
    expect(fake.finalized).toEqual([]);
  });
});

describe('the validation state', () => {
  test('is base64 of either alphabet, with or without padding', async () => {
    const { client } = await open();
    for (const userIdValidationState of ['Pz8-', 'Pz8+', 'QQ', 'QQ==', 'QQ=']) {
      expect((await client.finalizeCredential(request({ userIdValidationState }))).refusal).toBeUndefined();
    }
    expect(fake.finalized.map(({ validationState }) => validationState)).toEqual(['??>', '??>', 'A', 'A', 'A']);
  });

  test.each([
    '',
    '!!!invalid_base64!!!',
    'Q',
    'QR',
    'QQ===',
    '=',
    'Q Q=',
    'Q=Q=',
    'a+b-',
    `QQ${'\n'}`,
    'A'.repeat(16_385),
  ])('is refused when it is none: %j', async (userIdValidationState) => {
    const { client } = await open();
    const call = client.finalizeCredential(request({ userIdValidationState }));
    await expect(call).rejects.toEqual(reasonOf('validation_state_invalid'));
  });
});

describe('an account finalizes', () => {
  const foreign = reasonOf('credential_user_foreign');

  test('for its own e-mail address and its own id, and nobody is asked', async () => {
    const { client, asked } = await open();
    for (const userId of [email, 'Ada@Example.com', accountId]) {
      expect((await client.finalizeCredential(request({ userId }))).refusal).toBeUndefined();
    }
    expect(asked).toEqual([]);
    // The token has to be found under the address that the account has, however it was typed.
    expect(fake.finalized.map(({ userId }) => userId)).toEqual([email, email, accountId]);
  });

  test("for a user of its sessions when an agent asked there with this nonce, and else for nobody's", async () => {
    const known = { accountId, userId: 'u1', nonce: 'asked' };
    const { client } = await open({}, known);
    const own = { userId: 'u1', consentNonce: 'asked' };
    expect((await client.finalizeCredential(request(own))).refusal).toBeUndefined();
    for (const over of [{ consentNonce: 'another' }, { userId: 'u2' }, { accountId: randomUUID() }, { userId: '' }]) {
      await expect(client.finalizeCredential(request({ ...own, ...over }))).rejects.toEqual(foreign);
    }
    expect(fake.finalized).toHaveLength(1);
  });

  test('only for stored requests where AGENT_IDENTITY_REQUIRE_NONCE says so', async () => {
    const known = { accountId, userId: email, nonce: 'asked' };
    const { client } = await open({ AGENT_IDENTITY_REQUIRE_NONCE: 'true' }, known);
    await expect(client.finalizeCredential(request())).rejects.toEqual(foreign);
    expect((await client.finalizeCredential(request({ consentNonce: 'asked' }))).refusal).toBeUndefined();
  });

  test('without an e-mail address for no empty user', async () => {
    const { client } = await open();
    await expect(client.finalizeCredential(request({ email: '', userId: '' }))).rejects.toEqual(foreign);
  });
});

describe('when the credential service refuses', () => {
  const error = (code: number) => ({ status: code, body: { error: { code, message: 'No.', status: 'X' } } });

  test.each([
    [400, 400, 'Invalid credentials request: No.'],
    [404, 404, 'Failed to finalize credentials: No.'],
    [409, 409, 'Failed to finalize credentials: No.'],
    [412, 412, 'Failed to finalize credentials: No.'],
    [429, 429, 'Failed to finalize credentials: No.'],
    [500, 500, 'Failed to finalize credentials: the credential service answered 500.'],
    [503, 500, 'Failed to finalize credentials: the credential service answered 503.'],
    [302, 500, 'Failed to finalize credentials: the credential service answered 302.'],
  ])('with %i the caller is told %i', async (upstream, status, message) => {
    const { client } = await open();
    fake.answer({ ...error(upstream), headers: { location: 'http://127.0.0.1:1/' } });
    expect((await client.finalizeCredential(request())).refusal).toMatchObject({ status, message });
  });

  test('with what cannot be read, or not at all, the caller is told 500', async () => {
    const { client } = await open();
    fake.answer('break', { status: 418, body: '<html>' });
    const message = 'Failed to finalize credentials: the credential service cannot be reached.';
    expect((await client.finalizeCredential(request())).refusal).toMatchObject({ status: 500, message });
    expect((await client.finalizeCredential(request())).refusal).toMatchObject({ status: 418 });
  });

  test.each([
    { error: { code: 13, message: 'No.' } },
    { error: 'No.' },
    { name: 'projects/p/locations/l/operations/../secrets/1' },
    { name: 'operations/.hidden', done: false },
    { name: 'operations/1?x=y', done: false },
    { name: 7 },
    { done: false },
    { name: 'operations/1', done: 'true' },
    '[]',
    '',
    '<html>',
  ])('with status 200 and %j, that is no success', async (body) => {
    const { client } = await open();
    fake.answer({ status: 200, body });
    const { refusal } = await client.finalizeCredential(request());
    expect(refusal?.status).toBe(500);
    expect(refusal?.message).toMatch(/^Failed to finalize credentials: /);
  });

  test('with the error of an operation that never ran, the caller is told that error', async () => {
    const { client } = await open();
    fake.answer({ status: 200, body: { error: { code: 3, message: 'No.' } } });
    const { refusal } = await client.finalizeCredential(request());
    expect(refusal).toMatchObject({ status: 400, message: 'Invalid credentials request: No.' });
  });

  test.each([
    ['7', 7],
    [new Date(Date.now() - 60_000).toUTCString(), 0],
    ['9'.repeat(9), 86_400],
    ['soon', undefined],
  ])('with 429 and Retry-After %j, the caller is told when to come again', async (header, seconds) => {
    const { client } = await open();
    fake.answer({ ...error(429), headers: { 'retry-after': header } });
    expect((await client.finalizeCredential(request())).refusal?.retryAfterSeconds).toBe(seconds);
  });

  test('our own credential, that is our fault and not the caller’s', async () => {
    const { client } = await open();
    fake.answer(error(401), error(403));
    for (let count = 0; count < 2; count += 1) {
      await expect(client.finalizeCredential(request())).rejects.toEqual(reasonOf('agent_identity_refused'));
    }
    fake.giveTokens(false);
    const fresh = await open();
    await expect(fresh.client.finalizeCredential(request())).rejects.toEqual(reasonOf('agent_identity_refused'));
  });
});

test('a process without a Google credential says so', async () => {
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', '/nowhere/key.json');
  const { client } = await open();
  await expect(client.finalizeCredential(request())).rejects.toEqual(reasonOf('agent_identity_not_configured'));
});

test('the call of the credential service ends when its caller leaves', async () => {
  const { client } = await open();
  fake.answer('hang');
  const leaving = new AbortController();
  const call = client.finalizeCredential(request(), { signal: leaving.signal });
  call.catch(() => undefined);
  await expect.poll(() => fake.tokens).toBe(1);
  leaving.abort();
  await expect(call).rejects.toThrow();
});
