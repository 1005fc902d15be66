import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Caller } from '../../caller.ts';
import {
  connectMailbox,
  type MailMesh,
  type MailWord,
  openMailMesh,
  subscribe,
  subscriptionOf,
} from './open-mail-mesh.ts';

let opened: MailMesh;
let made = 0;

beforeAll(async () => {
  opened = await openMailMesh({ WEBHOOK_RENEWAL_INTERVAL_SECONDS: '2' });
});
afterAll(() => opened[Symbol.asyncDispose]());

const timeout = 120_000;

describe.each(['microsoft_outlook', 'google_gmail'] as const)('%s', (word: MailWord) => {
  const fake = () => (word === 'microsoft_outlook' ? opened.microsoft : opened.google);
  const accounts = () => (word === 'microsoft_outlook' ? opened.microsoft.login : opened.google.accounts);
  const tokenCalls = () => accounts().callsOf('POST', /\/token$/).length;

  /** A new account with a connected mailbox of its own. */
  async function resident(): Promise<{ caller: Caller; address: string }> {
    made += 1;
    const address = `ada${made}@mail.example`;
    return { caller: await opened.connected(word, address), address };
  }

  /** Whether the provider notifies about this mailbox. */
  function isRegistered(address: string): boolean {
    if (word === 'google_gmail') return opened.google.world.mailboxOf(address).watch !== undefined;
    return Array.from(opened.microsoft.world.subscriptions.values()).some(({ user }) => user.address === address);
  }

  test('a subscription is registered with a fresh token, and deleting it ends it at the provider', {
    timeout,
  }, async () => {
    const { caller, address } = await resident();
    const before = tokenCalls();
    const { id, status } = await subscribe(caller, word);
    expect([status, isRegistered(address)]).toEqual(['active', true]);
    expect(tokenCalls()).toBe(before + 1);
    expect((await caller.request('DELETE', `/api/webhooks/subscriptions/${id}`)).status).toBe(200);
    await expect.poll(() => isRegistered(address)).toBe(false);
  });

  test('disconnecting ends the subscriptions at the provider, and then erases the tokens', { timeout }, async () => {
    const { caller, address } = await resident();
    const { id } = await subscribe(caller, word);
    await caller.request('DELETE', `/api/integrations/${word}`);
    await expect.poll(() => isRegistered(address), { timeout: 40_000 }).toBe(false);
    expect((await subscriptionOf(caller, id)).status).not.toBe('active');
    await connectMailbox(caller, word, address);
    await expect.poll(() => isRegistered(address), { timeout: 40_000 }).toBe(true);
    await expect.poll(async () => (await subscriptionOf(caller, id)).status).toBe('active');
  });

  test('connecting another mailbox moves no subscription there, and connecting the former one mends it', {
    timeout,
  }, async () => {
    const { caller, address } = await resident();
    const { id } = await subscribe(caller, word);
    const other = `other-${address}`;
    fake().world.addUser(other);
    expect((await connectMailbox(caller, word, other)).status).toBe(200);
    await expect.poll(() => isRegistered(address)).toBe(false);
    const lastError = expect.stringContaining('Another mailbox is connected now');
    await expect.poll(() => subscriptionOf(caller, id)).toMatchObject({ status: 'error', last_error: lastError });
    expect(isRegistered(other)).toBe(false);
    const renewed = await caller.request('POST', `/api/webhooks/subscriptions/${id}/renew`);
    expect(renewed).toMatchObject({ status: 400, body: { code: 'integration_other_mailbox' } });
    await connectMailbox(caller, word, address);
    await expect.poll(() => subscriptionOf(caller, id)).toMatchObject({ status: 'active', last_error: null });
    expect([isRegistered(address), isRegistered(other)]).toEqual([true, false]);
  });

  test('deleting the account ends its subscriptions at the provider', { timeout }, async () => {
    const { caller, address } = await resident();
    await subscribe(caller, word);
    const { user_id: id } = (await caller.request<{ user_id: number }>('GET', '/api/users/me')).body;
    expect((await caller.request('DELETE', `/api/users/${id}`)).status).toBe(204);
    await expect.poll(() => isRegistered(address), { timeout: 40_000 }).toBe(false);
  });

  test('a revoked consent makes creating answer 401 with a code, and connecting again mends it', {
    timeout,
  }, async () => {
    const { caller, address } = await resident();
    fake().world.authorization.revoke(address, { access: true });
    const refused = subscribe(caller, word);
    await expect(refused).rejects.toThrow(/401 .*Invalid credentials.*integration_reconnect_required/);
    const [integration] = (await caller.request<{ token_status: string }[]>('GET', '/api/integrations/')).body;
    expect(integration?.token_status).toBe('revoked');
    await connectMailbox(caller, word, address);
    await subscribe(caller, word);
    expect(isRegistered(address)).toBe(true);
  });

  test('without a connected mail account creating answers 400', async () => {
    const { caller } = await resident();
    await caller.request('DELETE', `/api/integrations/${word}`);
    await expect(subscribe(caller, word)).rejects.toThrow('400');
  });
});

test.skipIf(inject('mode') === 'all')(
  'killing the keys service while it refreshes a token loses no connection',
  { timeout },
  async () => {
    const address = 'killed@mail.example';
    const caller = await opened.connected('microsoft_outlook', address);
    const { login } = opened.microsoft;
    const { promise: until, resolve } = Promise.withResolvers<void>();
    const calls = login.callsOf('POST', /\/token$/).length;
    // The provider rotates the refresh token when the answer can no longer arrive.
    login.fault({ method: 'POST', path: /\/token$/, action: { until } });
    const refused = subscribe(caller, 'microsoft_outlook').catch((error: unknown) => String(error));
    await expect.poll(() => login.callsOf('POST', /\/token$/).length).toBe(calls + 1);
    await opened.mesh.kill('keys');
    resolve();
    expect(await refused).toMatch(/50[234]/);
    await opened.mesh.restart();
    const attempt = (): Promise<string> => subscribe(caller, 'microsoft_outlook').then(({ status }) => status, String);
    await expect.poll(attempt, { timeout: 40_000, interval: 500 }).toBe('active');
  },
);
