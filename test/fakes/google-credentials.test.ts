import { GoogleAuth } from 'google-auth-library';
import { afterEach, expect, test, vi } from 'vitest';
import { startFakeGoogleCredentials } from './google-credentials.ts';

afterEach(() => void vi.unstubAllEnvs());

test("Google's own library gets a token from the fake metadata server, and the fake accepts this token", async () => {
  await using fake = await startFakeGoogleCredentials();
  vi.stubEnv('GCE_METADATA_HOST', fake.metadataHost);
  const auth = new GoogleAuth({ scopes: ['https://www.googleapis.com/auth/cloud-platform'], projectId: 'p' });
  const url = `${fake.baseUrl}/v1/projects/p/locations/l/authProviders/a/credentials:finalize`;
  const data = { userId: 'u', userIdValidationState: Buffer.from('state').toString('base64'), consentNonce: 'n' };
  const answer = await auth.request({ url, method: 'POST', data });
  expect(answer).toMatchObject({ status: 200, data: {} });
  const resource = 'v1/projects/p/locations/l/authProviders/a';
  expect(fake.finalized).toEqual([{ resource, userId: 'u', validationState: 'state', consentNonce: 'n' }]);
  expect(fake.tokens).toBe(1);
  await expect(auth.request({ url, method: 'POST', data })).rejects.toMatchObject({ status: 409 });
});
