import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTestAuth, signUpOf, type TestAuth } from '../../test/open-test-auth.ts';
import type { Context } from '../context.ts';
import { findCredentials } from '../store/accounts.ts';
import { ensureSuperadmin } from './superadmin.ts';

const email = 'root@example.com';
const credentials = { email, password: 'correct horse battery' };

let auth: TestAuth;
let context: Context;
beforeEach(async () => {
  auth = await openTestAuth();
  context = auth.contextWith({
    DEFAULT_SUPERADMIN_EMAIL: 'Root@example.com',
    DEFAULT_SUPERADMIN_PASSWORD: credentials.password,
  });
});
afterEach(() => auth[Symbol.asyncDispose]());

describe('the superadmin', () => {
  test('is made once by replicas that start together, verified and ADMIN', async () => {
    await Promise.all([1, 2, 3, 4].map(() => ensureSuperadmin(context)));
    expect(await stored()).toMatchObject({ role: 'ADMIN', verification_owed: false });
    expect((await auth.client.signIn(credentials)).accessToken).not.toBe('');
    expect(warnings()).toEqual([]);
  });

  test('keeps the password it has', async () => {
    await ensureSuperadmin(context);
    const before = await stored();
    const other = { DEFAULT_SUPERADMIN_EMAIL: email, DEFAULT_SUPERADMIN_PASSWORD: 'another password' };
    await ensureSuperadmin(auth.contextWith(other));
    expect(await stored()).toEqual(before);
  });

  test('is an existing account only if it has the configured password', async () => {
    await auth.client.signUp(signUpOf(email));
    const before = await stored();
    await ensureSuperadmin(context);
    expect(await stored()).toEqual({ ...before, role: 'ADMIN', verified: true, verification_owed: false });
  });

  test('is never the account of a stranger who signed up with the address: that one is renamed, with a record', async () => {
    const { account } = await auth.client.signUp({ ...signUpOf(email), password: 'chosen by a stranger' });
    const { client } = auth;
    const { refreshToken } = await client.signIn({ email, password: 'chosen by a stranger' });
    await client.requestPasswordReset({ email });
    await Promise.all([1, 2, 3].map(() => ensureSuperadmin(context)));
    expect(await stored()).toMatchObject({ role: 'ADMIN', verified: true });
    expect((await client.signIn(credentials)).accessToken).not.toBe('');
    await expect(client.signIn({ email, password: 'chosen by a stranger' })).rejects.toThrow('Invalid email');

    const stranger = (await client.getAccount({ id: account?.id ?? '' })).account;
    expect(stranger).toMatchObject({ role: 'USER', email: `renamed-${account?.userId}@renamed.invalid` });
    expect((await client.refresh({ refreshToken: refreshToken?.value ?? '' })).accessToken).not.toBe('');
    const records = { text: "select account_id from audit where action = 'address_taken_back'" };
    expect(await auth.context.db.query(records)).toEqual([{ account_id: account?.id }]);
  });

  test('is not an account that has proven the address and has another password', async () => {
    await auth.client.signUp({ ...signUpOf(email), password: 'chosen by its owner' });
    await auth.context.db.query({ text: 'update accounts set email_verified_at = now()' });
    const before = await stored();
    await ensureSuperadmin(context);
    expect(await stored()).toEqual(before);
    expect(warnings()).toEqual([expect.stringContaining('not promoted')]);
  });

  test('is not made without a password, and a warning says so', async () => {
    await ensureSuperadmin(auth.contextWith({ DEFAULT_SUPERADMIN_EMAIL: email }));
    expect(await stored()).toBeUndefined();
    expect(warnings()).toEqual([expect.stringContaining('DEFAULT_SUPERADMIN_PASSWORD')]);
  });

  test('is not created without an address', async () => {
    await ensureSuperadmin(auth.contextWith({ DEFAULT_SUPERADMIN_PASSWORD: 'correct horse battery' }));
    expect(await auth.context.db.query({ text: 'select id from accounts' })).toEqual([]);
  });

  test('leaves no password and no address in a log line', async () => {
    await ensureSuperadmin(context);
    expect(auth.logged.join('')).not.toContain(credentials.password);
    expect(auth.logged.join('')).not.toContain(email);
  });
});

async function stored() {
  return findCredentials(auth.context.db, email);
}

/** Without that of the server of tests, which writes without fsync. */
function warnings(): string[] {
  return auth.logged.filter((line) => line.includes('"level":"warn"') && !line.includes('fsync=off'));
}
