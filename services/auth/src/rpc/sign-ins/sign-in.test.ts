import { jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  clientOf,
  encryptKey,
  openTestAuth,
  signUpOf,
  strongerCost,
  type TestAuth,
} from '../../../test/open-test-auth.ts';
import { createPasswords } from '../../passwords/password.ts';
import { findCredentials } from '../../store/accounts.ts';

const password = 'correct horse battery';
const refused = { code: 'unauthenticated', reason: 'invalid_credentials', message: 'Invalid email or password' };

let auth: TestAuth;
beforeAll(async () => {
  auth = await openTestAuth();
  await auth.client.signUp(signUpOf('ada@example.com'));
});
afterAll(() => auth[Symbol.asyncDispose]());

describe('sign-in', () => {
  test('answers a token that names the account, however the address is spelled', async () => {
    const { account } = await auth.client.signUp(signUpOf('grace@example.com'));
    const { accessToken } = await auth.client.signIn({ email: ' Grace@EXAMPLE.com', password });
    const { payload } = await jwtVerify(accessToken, new TextEncoder().encode(encryptKey));
    expect(payload).toMatchObject({ sub: 'grace@example.com', uid: account?.id, role: 'USER', type: 'access' });
  });

  test.each([
    ['a wrong password', { email: 'ada@example.com', password: 'wrong horse battery' }],
    ['an unknown address', { email: 'nobody@example.com', password }],
    ['no address at all', { email: '', password }],
    ['text that is no address', { email: "' or 1=1 --", password }],
    ['an address with NUL', { email: 'ada\0@example.com', password }],
    ['an empty password', { email: 'ada@example.com', password: '' }],
    ['a password with NUL', { email: 'ada@example.com', password: `${password}\0` }],
    ['a password of a megabyte', { email: 'ada@example.com', password: 'a'.repeat(1_000_000) }],
  ])('with %s is refused like any other', async (_, credentials) => {
    await expect(auth.client.signIn(credentials)).rejects.toMatchObject(refused);
  });

  test('of an account without a password is refused alike', async () => {
    await auth.client.signUp(signUpOf('keyless@example.com'));
    await auth.context.db.query({
      text: "update accounts set password_hash = null where email = 'keyless@example.com'",
    });
    await expect(auth.client.signIn({ email: 'keyless@example.com', password })).rejects.toMatchObject(refused);
  });

  test('does one hash whether or not the address is known', async () => {
    const before = auth.verifiedAgainst.length;
    await expect(auth.client.signIn({ email: 'nobody@example.com', password })).rejects.toMatchObject(refused);
    await expect(auth.client.signIn({ email: 'ada@example.com', password: 'wrong one' })).rejects.toMatchObject(
      refused,
    );
    expect(auth.verifiedAgainst.slice(before)).toEqual([undefined, expect.stringContaining('$argon2id$')]);
  });

  test('upgrades a stored hash of weaker parameters, once', async () => {
    const client = clientOf({ ...auth.context, passwords: createPasswords(strongerCost, () => false) });
    await auth.client.signUp(signUpOf('old@example.com'));
    const hash = async () => (await findCredentials(auth.context.db, 'old@example.com'))?.password_hash;

    await expect(client.signIn({ email: 'old@example.com', password: 'wrong one' })).rejects.toMatchObject(refused);
    expect(await hash()).toContain('$m=64,t=1,p=1$');
    await client.signIn({ email: 'old@example.com', password });
    const upgraded = await hash();
    expect(upgraded).toContain('$m=128,t=2,p=1$');
    await client.signIn({ email: 'old@example.com', password });
    expect(await hash()).toBe(upgraded);
  });

  test('is not found where AUTH_BASIC_ENABLED is false', async () => {
    const client = clientOf(auth.contextWith({ AUTH_BASIC_ENABLED: 'false' }));
    const missing = { code: 'not_found', reason: 'basic_auth_disabled', message: 'Not Found' };
    await expect(client.signIn({ email: 'ada@example.com', password })).rejects.toMatchObject(missing);
  });

  test('works where AUTH_REGISTER_ENABLED is false', async () => {
    const client = clientOf(auth.contextWith({ AUTH_REGISTER_ENABLED: 'false' }));
    expect((await client.signIn({ email: 'ada@example.com', password })).accessToken).not.toBe('');
  });

  test('to an unverified address says so only with the right password', async () => {
    const gated = clientOf(auth.contextWith({ AUTH_EMAIL_VERIFICATION_REQUIRED: 'true' }));
    await gated.signUp(signUpOf('new@example.com'));
    await expect(gated.signIn({ email: 'new@example.com', password: 'wrong one' })).rejects.toMatchObject(refused);
    await expect(gated.signIn({ email: 'new@example.com', password })).rejects.toMatchObject({
      code: 'permission_denied',
      reason: 'email_not_verified',
      message: 'email_not_verified',
    });
    expect((await auth.client.signIn({ email: 'new@example.com', password })).accessToken).not.toBe('');
  });

  test('of an account made while verification was off passes when it is on', async () => {
    const gated = clientOf(auth.contextWith({ AUTH_EMAIL_VERIFICATION_REQUIRED: 'true' }));
    expect((await gated.signIn({ email: 'ada@example.com', password })).accessToken).not.toBe('');
  });

  test('leaves no password, hash, token or key in a log line', async () => {
    await auth.context.db.query({
      text: "update accounts set password_hash = '$broken$' where email = 'keyless@example.com'",
    });
    const broken = auth.client.signIn({ email: 'keyless@example.com', password });
    await expect(broken).rejects.toMatchObject({ code: 'internal' });
    const { accessToken } = await auth.client.signIn({ email: 'ada@example.com', password });
    const lines = auth.logged.join('');
    expect(lines).toContain('a stored password hash is not an argon2id PHC string');
    for (const secret of [password, 'wrong one', '$argon2id', '$broken$', accessToken, encryptKey]) {
      expect(lines).not.toContain(secret);
    }
  });
});
