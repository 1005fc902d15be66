import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureSuperadmin } from '../src/accounts/superadmin.ts';
import { deliver } from '../src/mail/deliver.ts';
import { sendMail } from '../src/mail/send-mail.ts';
import { clientOf, signUpOf } from './open-test-auth.ts';
import { openTestMail, type TestMail } from './open-test-mail.ts';

let mail: TestMail;
let client: TestMail['client'];
let context: TestMail['context'];

beforeAll(async () => {
  mail = await openTestMail();
  ({ client, context } = mail);
});
afterAll(() => mail[Symbol.asyncDispose]());

const password = 'a new password of mine';
const invalid = { code: 'unauthenticated', reason: 'mail_token_invalid', message: 'Invalid or expired token' };

describe('a reset', () => {
  test('sets the password once, ends sign-ins, tokens for programs and every other token of its kind', async () => {
    const { address } = await verifiedAccount('reset@example.com');
    const before = await client.signIn({ email: address, password: signUpOf('').password });
    const { uid } = decodeJwt<{ uid: string }>(before.accessToken);
    const made = { accountId: uid, name: 'ci', scopes: ['runs:write'], lifeSeconds: 600n };
    await client.createPersonalToken(made);
    const tokens = [await mail.resetToken(address), await mail.resetToken(address), await mail.resetToken(address)];
    await client.requestPasswordReset({ email: address });
    await client.resetPassword({ token: tokens[1] ?? '', newPassword: password });
    expect(await mail.allSent()).toEqual([]);
    for (const token of tokens) await expect(reset(token)).rejects.toMatchObject(invalid);
    await expect(client.signIn({ email: address, password: signUpOf('').password })).rejects.toThrow('Invalid email');
    expect((await client.signIn({ email: address, password })).accessToken).not.toBe('');
    expect((await client.listPersonalTokens({ accountId: uid })).tokens).toEqual([]);
    const refreshToken = before.refreshToken?.value ?? '';
    await expect(client.refresh({ refreshToken })).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('with one token by many callers at once happens once', async () => {
    const { token, address } = await mail.resetTokenOf('race@example.com');
    const passwords = Array.from({ length: 8 }, (_, n) => `${password} ${n}`);
    const outcomes = await Promise.allSettled(
      passwords.map((newPassword) => client.resetPassword({ token, newPassword })),
    );
    const won = outcomes.flatMap(({ status }, n) => (status === 'fulfilled' ? [n] : []));
    expect(won).toHaveLength(1);
    expect((await client.signIn({ email: address, password: passwords[won[0] ?? 0] ?? '' })).accessToken).not.toBe('');
    expect(await actionsOf(address)).toEqual(expect.arrayContaining(['password_reset']));
    expect((await actionsOf(address)).filter((action) => action === 'password_reset')).toHaveLength(1);
  });

  test('withdraws a mail that a worker has taken and not yet sent', async () => {
    const { token, address } = await mail.resetTokenOf('withdrawn@example.com');
    await client.requestPasswordReset({ email: address });
    const before = mail.sink.seen;
    await context.jobs.drain(sendMail, async (request, attempt) => {
      await reset(token);
      await deliver(context, { ...request, attempt });
    });
    expect(mail.sink.seen).toBe(before);
    const live =
      'select from mail_tokens t join accounts a on a.id = t.account_id where email = $1 and kind = $2 and used_at is null';
    expect(await context.db.query({ text: live }, [address, 'reset'])).toEqual([]);
  });

  test('refuses a password that is too short and keeps the token', async () => {
    const { token } = await mail.resetTokenOf('short@example.com');
    await expect(client.resetPassword({ token, newPassword: 'seven77' })).rejects.toMatchObject({
      reason: 'password_invalid',
    });
    await reset(token);
  });

  test('proves the address', async () => {
    const { token, address } = await mail.resetTokenOf('reads-mail@example.com');
    await expect(client.signIn({ email: address, password: signUpOf('').password })).rejects.toThrow(
      'email_not_verified',
    );
    await reset(token);
    expect((await client.signIn({ email: address, password })).accessToken).not.toBe('');
  });

  test('does not take a token that has expired', async () => {
    const { token } = await mail.resetTokenOf('late@example.com');
    await context.db.query({ text: 'update mail_tokens set expires_at = now() where used_at is null' });
    await expect(reset(token)).rejects.toMatchObject(invalid);
  });
});

describe('a verification', () => {
  test('lets the account sign in, and succeeds again the second time', async () => {
    const { token, address, proof: signUpProof } = await mail.verifyTokenOf('gate@example.com');
    const credentials = { email: address, password: signUpOf('').password };
    await expect(client.signIn(credentials)).rejects.toMatchObject({ reason: 'email_not_verified' });
    await Promise.all([1, 2].map(() => client.verifyEmail({ token, signUpProof })));
    await client.verifyEmail({ token });
    expect((await client.signIn(credentials)).accessToken).not.toBe('');
    expect((await actionsOf(address)).filter((action) => action === 'email_verified')).toHaveLength(1);
  });

  test('of the superadmin’s address makes no admin', async () => {
    const { token, address, proof: signUpProof } = await mail.verifyTokenOf('root@example.com');
    await client.verifyEmail({ token, signUpProof });
    const [row] = await context.db.query({ text: 'select role from accounts where email = $1' }, [address]);
    expect(row).toEqual({ role: 'USER' });
  });

  test('by a link that was ended unused, because its address was taken back, is refused and proves nothing', async () => {
    const { token, address, proof: signUpProof } = await mail.verifyTokenOf('taken-back@example.com');
    const admin = { DEFAULT_SUPERADMIN_EMAIL: address, DEFAULT_SUPERADMIN_PASSWORD: password };
    await ensureSuperadmin(mail.auth.contextWith(admin));
    await expect(client.verifyEmail({ token, signUpProof })).rejects.toMatchObject(invalid);
    const proven = "select from accounts where email like 'renamed-%' and email_verified_at is not null";
    expect(await context.db.query({ text: proven })).toEqual([]);
  });
});

describe('a token', () => {
  test('of one kind never works as another', async () => {
    const other = { code: 'unauthenticated', reason: 'mail_token_kind', message: 'Invalid token type' };
    const verify = await mail.verifyTokenOf('kinds@example.com');
    await expect(reset(verify.token)).rejects.toMatchObject(other);
    await expect(client.verifyEmail({ token: await mail.resetToken(verify.address) })).rejects.toMatchObject(other);
    const { accessToken } = await signedIn('kinds-2@example.com');
    await expect(reset(accessToken)).rejects.toMatchObject(invalid);
  });

  test('of a deleted account is refused', async () => {
    const { token, address } = await mail.resetTokenOf('gone@example.com');
    const [row] = await context.db.query<{ id: string }>({ text: 'select id from accounts where email = $1' }, [
      address,
    ]);
    await client.deleteAccount({ id: row?.id ?? '' });
    await expect(reset(token)).rejects.toMatchObject({ code: 'unauthenticated', message: 'Invalid token' });
  });

  test.each(['', 'x', 'x'.repeat(43), '\0', '='.repeat(100_000)])('that is none, %j, is refused', async (token) => {
    await expect(reset(token)).rejects.toMatchObject(invalid);
    await expect(client.verifyEmail({ token })).rejects.toMatchObject(invalid);
  });
});

test('resets and verifications are not found where passwords are switched off', async () => {
  const off = clientOf(mail.auth.contextWith({ AUTH_BASIC_ENABLED: 'false' }));
  const absent = { code: 'not_found', message: 'Not Found' };
  await expect(off.requestPasswordReset({})).rejects.toMatchObject(absent);
  await expect(off.resendVerification({})).rejects.toMatchObject(absent);
  await expect(off.resetPassword({})).rejects.toMatchObject(absent);
  await expect(off.verifyEmail({})).rejects.toMatchObject(absent);
});

function reset(token: string) {
  return client.resetPassword({ token, newPassword: password });
}

async function verifiedAccount(address: string) {
  const { token, proof: signUpProof } = await mail.verifyTokenOf(address);
  await client.verifyEmail({ token, signUpProof });
  return { address };
}

async function signedIn(address: string) {
  await verifiedAccount(address);
  return client.signIn({ email: address, password: signUpOf('').password });
}

async function actionsOf(address: string): Promise<string[]> {
  const rows = await context.db.query<{ action: string }>(
    { text: 'select action from audit join accounts on accounts.id = audit.account_id where email = $1' },
    [address],
  );
  return rows.map((row) => row.action);
}
