import { ConfidentialClientApplication, CryptoProvider, type INetworkModule } from '@azure/msal-node';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createVirtualClock, openConsentPage } from '../upstream/index.ts';
import { type FakeMicrosoft, startFakeMicrosoft } from './index.ts';

const clock = createVirtualClock();
const address = 'ada@contoso.example';
const redirectUri = 'http://127.0.0.1/back';
const scopes = ['User.Read', 'Mail.Read'];
let fake: FakeMicrosoft;

beforeAll(async () => {
  fake = await startFakeMicrosoft(clock);
});
beforeEach(() => {
  fake.reset();
  fake.addUser(address);
});
afterAll(() => fake[Symbol.asyncDispose]());

/** Microsoft's own client. It demands an https authority, so its requests are sent to the fake instead. */
function createClient(clientSecret = 'microsoft-client-secret'): ConfidentialClientApplication {
  const send = (method: string): INetworkModule['sendPostRequestAsync'] => {
    return async (url, options) => {
      const target = url.replace('https://login.microsoftonline.com', fake.login.origin);
      const init = { method, headers: options?.headers ?? {}, body: options?.body ?? null };
      const response = await fetch(target, init);
      return {
        headers: Object.fromEntries(response.headers),
        body: (await response.json()) as never,
        status: response.status,
      };
    };
  };
  const { origin } = new URL('https://login.microsoftonline.com');
  const authorityMetadata = JSON.stringify({
    authorization_endpoint: `${origin}/common/oauth2/v2.0/authorize`,
    token_endpoint: `${origin}/common/oauth2/v2.0/token`,
    issuer: `${origin}/{tenantid}/v2.0`,
    jwks_uri: `${origin}/common/discovery/v2.0/keys`,
  });
  return new ConfidentialClientApplication({
    auth: { clientId: 'microsoft-client', clientSecret, authority: `${origin}/common`, authorityMetadata },
    system: { networkClient: { sendGetRequestAsync: send('GET'), sendPostRequestAsync: send('POST') } },
  });
}

test("Microsoft's own client signs a user in with PKCE, and refreshes", async () => {
  const client = createClient();
  const { verifier, challenge } = await new CryptoProvider().generatePkceCodes();
  const codeChallengeMethod = 'S256';
  const page = await client.getAuthCodeUrl({
    scopes,
    redirectUri,
    codeChallenge: challenge,
    codeChallengeMethod,
    state: 's',
  });
  const { code = '', state } = await openConsentPage(page.replace(/^https:\/\/[^/]+/, fake.login.origin), address);
  expect(state).toBe('s');
  const signedIn = await client.acquireTokenByCode({ code, scopes, redirectUri, codeVerifier: verifier });
  expect(signedIn).toMatchObject({ account: { username: address, name: 'Ada Lovelace' }, tokenType: 'Bearer' });
  const account = signedIn.account ?? expect.fail('there is no account');
  const fresh = await client.acquireTokenSilent({ account, scopes, forceRefresh: true });
  expect(fresh?.accessToken).not.toBe(signedIn.accessToken);
  const me = await fetch(`${fake.graph.origin}/v1.0/me`, {
    headers: { authorization: `Bearer ${fresh?.accessToken}` },
  });
  expect(await me.json()).toMatchObject({ userPrincipalName: address });
});

test('a code is refused after its first use, and with a wrong verifier', async () => {
  const client = createClient();
  const { challenge } = await new CryptoProvider().generatePkceCodes();
  const page = await client.getAuthCodeUrl({
    scopes,
    redirectUri,
    codeChallenge: challenge,
    codeChallengeMethod: 'S256',
  });
  const { code = '' } = await openConsentPage(page.replace(/^https:\/\/[^/]+/, fake.login.origin), address);
  const redeem = client.acquireTokenByCode({ code, scopes, redirectUri, codeVerifier: 'another' });
  await expect(redeem).rejects.toMatchObject({ errorCode: 'invalid_grant' });
  await expect(client.acquireTokenByCode({ code, scopes, redirectUri })).rejects.toMatchObject({
    errorCode: 'invalid_grant',
  });
});

test("the operator's wrong secret is invalid_client, a revoked grant is invalid_grant", async () => {
  const user = fake.world.mailboxOf(address).user;
  const { refreshToken = '' } = fake.world.authorization.grantTo(user, [...scopes, 'offline_access']);
  const refused = createClient('wrong').acquireTokenByRefreshToken({ refreshToken, scopes });
  await expect(refused).rejects.toMatchObject({ errorCode: 'invalid_client', errorNo: 7000215 });
  fake.world.authorization.revoke(address);
  const revoked = createClient().acquireTokenByRefreshToken({ refreshToken, scopes });
  await expect(revoked).rejects.toMatchObject({ errorCode: 'invalid_grant', errorNo: 50173 });
});
