import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type FakeGoogleCredentials, startFakeGoogleCredentials } from '../../../test/fakes/google-credentials.ts';
import { openKeys } from './open-keys.ts';

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

/** Finishes a consent flow. */
async function finalize(userIdValidationState: string) {
  const settings = { IAM_CONNECTOR_BASE_URL: fake.baseUrl, AGENT_IDENTITY_BASE_URL: fake.baseUrl };
  const { client } = resources.use(await openKeys(settings));
  const caller = { accountId: randomUUID(), email: 'ada@example.com', userId: 'ada@example.com' };
  const connectorName = 'projects/p-1/locations/l-1/connectors/c';
  return client.finalizeCredential({ ...caller, connectorName, userIdValidationState, consentNonce: 'nonce-456' });
}

describe('ADK’s own test cases of the agent identity', () => {
  test('test_finalize_agent_identity_credentials_invalid_base64', async () => {
    await expect(finalize('!!!invalid_base64!!!')).rejects.toMatchObject({ reason: 'validation_state_invalid' });
  });

  test('test_finalize_agent_identity_credentials_invalid_argument_error', async () => {
    const error = { code: 400, status: 'INVALID_ARGUMENT', message: 'Invalid consent nonce' };
    fake.answer({ status: 400, body: { error } });
    const { refusal } = await finalize('dGVzdA');
    expect(refusal).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^Invalid credentials request: Invalid consent nonce/),
    });
  });
});
