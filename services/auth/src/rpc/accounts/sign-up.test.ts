import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientOf, openTestAuth, signUpOf, type TestAuth } from '../../../test/open-test-auth.ts';

let auth: TestAuth;
beforeAll(async () => {
  auth = await openTestAuth();
});
afterAll(() => auth[Symbol.asyncDispose]());

describe('sign-up', () => {
  test('answers the account as it is stored, its address in normal form', async () => {
    const { account } = await auth.client.signUp({
      ...signUpOf(' Ada@Example.COM '),
      username: 'ada',
      fullName: 'Ada Lovelace 🙂',
      avatarUrl: 'https://example.com/ada.png',
    });
    expect(account).toMatchObject({
      userId: 1n,
      email: 'ada@example.com',
      firstName: 'Ada',
      lastName: 'Lovelace',
      username: 'ada',
      fullName: 'Ada Lovelace 🙂',
      avatarUrl: 'https://example.com/ada.png',
      role: 'USER',
      onboardingCompleted: false,
    });
    expect(account?.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect((await auth.client.getAccount({ id: account?.id ?? '' })).account).toEqual(account);
  });

  test('answers no field that was not sent', async () => {
    const { account } = await auth.client.signUp(signUpOf('plain@example.com'));
    expect(account?.username).toBeUndefined();
    expect(account?.fullName).toBeUndefined();
    expect(account?.avatarUrl).toBeUndefined();
  });

  test('without a password creates an account that no password signs in to', async () => {
    await auth.client.signUp({ ...signUpOf('keyless@example.com'), password: '' });
    for (const password of ['', 'correct horse battery']) {
      const refused = auth.client.signIn({ email: 'keyless@example.com', password });
      await expect(refused).rejects.toMatchObject({ reason: 'invalid_credentials' });
    }
  });

  test('stores no password, only its hash', async () => {
    await auth.client.signUp(signUpOf('hashed@example.com'));
    const [row] = await auth.context.db.query({
      text: "select to_json(accounts)::text as json from accounts where email = 'hashed@example.com'",
    });
    expect(row?.['json']).toContain('$argon2id$v=19$');
    expect(row?.['json']).not.toContain('correct horse battery');
  });

  test('twice at once with one address creates one account', async () => {
    const spellings = ['Twin@example.com', 'twin@EXAMPLE.com', ' twin@example.com', 'TWIN@example.com'];
    const outcomes = await Promise.allSettled(spellings.map((email) => auth.client.signUp(signUpOf(email))));
    const failures = outcomes
      .filter((outcome) => outcome.status === 'rejected')
      .map((outcome): unknown => outcome.reason);
    expect(failures).toHaveLength(3);
    for (const failure of failures) {
      expect(failure).toMatchObject({
        code: 'already_exists',
        reason: 'email_in_use',
        message: 'Email already in use.',
      });
    }
    expect(await countOf('twin@example.com')).toBe(1n);
  });

  test.each([
    [{ email: 'not-an-address' }, 'email_invalid'],
    [{ email: 'nul\0@example.com' }, 'email_invalid'],
    [{ password: 'seven77' }, 'password_invalid'],
    [{ password: 'a'.repeat(257) }, 'password_invalid'],
    [{ password: 'with\0 a NUL' }, 'password_invalid'],
    [{ password: 'Bad@Example.com' }, 'password_invalid'],
    [{ password: 'Password1' }, 'password_invalid'],
    [{ firstName: 'A\0da' }, 'text_invalid'],
    [{ lastName: '\0' }, 'text_invalid'],
    [{ username: 'a\0' }, 'text_invalid'],
    [{ fullName: 'x'.repeat(257) }, 'text_invalid'],
    [{ avatarUrl: `https://example.com/${'x'.repeat(2_048)}` }, 'text_invalid'],
  ])('of %j is refused and stores nothing', async (bad, reason) => {
    const refused = auth.client.signUp({ ...signUpOf('bad@example.com'), ...bad });
    await expect(refused).rejects.toMatchObject({ code: 'invalid_argument', reason });
    expect(await countOf('bad@example.com')).toBe(0n);
  });

  test.each(['AUTH_REGISTER_ENABLED', 'AUTH_BASIC_ENABLED'])(
    'does not exist where %s is false, not even for bad bodies',
    async (name) => {
      const client = clientOf(auth.contextWith({ [name]: 'false' }));
      const refused = { code: 'not_found', reason: 'registration_disabled', message: 'Not Found' };
      await expect(client.signUp(signUpOf('late@example.com'))).rejects.toMatchObject(refused);
      await expect(client.signUp({})).rejects.toMatchObject(refused);
    },
  );

  test('of the superadmin address grants no ADMIN', async () => {
    const client = clientOf(auth.contextWith({ DEFAULT_SUPERADMIN_EMAIL: 'root@example.com' }));
    expect((await client.signUp(signUpOf('root@example.com'))).account?.role).toBe('USER');
  });
});

async function countOf(email: string): Promise<unknown> {
  const [row] = await auth.context.db.query({ text: 'select count(*) as n from accounts where email = $1' }, [email]);
  return row?.['n'];
}
