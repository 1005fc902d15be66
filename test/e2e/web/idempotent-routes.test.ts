import { expect, inject, test } from 'vitest';
import { Caller } from '../../caller.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
}

/** POST and PATCH operations that take no `Idempotency-Key`, and why. docs/clients.md names them. */
const without: Readonly<Record<string, string>> = {
  createUser: 'no account owns the key; an address has one account',
  createToken: 'a session secret is never answered twice',
  refreshToken: 'a session secret is never answered twice; a refresh token is used once',
  signOut: 'nothing is left to end',
  forgotPassword: 'no account owns the key',
  resendVerification: 'no account owns the key',
  resetPassword: 'the token of the mail is used once',
  verifyEmail: 'the token of the mail is used once',
  finishOutlookConnection: 'the state is used once',
  finishGmailConnection: 'the state is used once',
  finalizeAgentIdentity: 'the nonce is used once',
  startDeviceSignIn: 'no account owns the key; what is not used is void after ten minutes',
  claimDeviceToken: 'the code is used once',
  approveDeviceSignIn: 'the code is decided once',
  denyDeviceSignIn: 'the code is decided once',
  cancelSession: 'ADK has no key there; what is cancelled is not cancelled again',
  checkAgentYaml: 'stores nothing',
  testSavedKey: 'it changes nothing',
  createRunTicket: 'it changes nothing',
  transcribeAudio: 'it changes nothing',
  updateMemory: 'only what is new is added',
  renewWebhookSubscription: 'the same registration is extended',
  receiveOutlookNotifications: 'providers call it; a notification is a hint',
  receiveSharedOutlookNotifications: 'providers call it; a notification is a hint',
  receiveGmailNotification: 'providers call it; a notification is a hint',
  receiveOtherNotifications: 'it changes nothing',
};

test('every documented POST and PATCH takes an Idempotency-Key, or is known not to need one', async () => {
  const caller = new Caller(inject('meshUrl'));
  const { body } = await caller.request<{ paths: Record<string, Record<string, Operation>> }>('GET', '/openapi.json');
  const writes = Object.values(body.paths).flatMap(({ post, patch }) =>
    [post, patch].filter((one) => one !== undefined),
  );
  const takesKey = ({ parameters = [] }: Operation) =>
    parameters.some(({ in: place, name }) => place === 'header' && name.toLowerCase() === 'idempotency-key');
  const keyless = writes.filter((one) => !takesKey(one)).map(({ operationId }) => operationId);
  expect(keyless.toSorted()).toEqual(Object.keys(without).toSorted());
});
