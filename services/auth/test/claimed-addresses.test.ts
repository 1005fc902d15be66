import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientOf, openTestAuth, signUpOf, type TestAuth } from './open-test-auth.ts';
import { openTestMail, sendDueMails, type TestMail } from './open-test-mail.ts';

let mail: TestMail;
/** The same accounts where verification is not required, so that a stranger can sign in before the owner comes. */
let lax: TestAuth['client'];

beforeAll(async () => {
  mail = await openTestMail();
  lax = clientOf(mail.auth.contextWith({ SMTP_URL: mail.sink.url, MAIL_FROM: 'mesh@example.org' }));
});
afterAll(() => mail[Symbol.asyncDispose]());

/** An address that somebody has signed up with and uses, and the token of the mail to its owner. */
async function claimed(email: string) {
  const { proof } = await lax.signUp(signUpOf(email));
  const signedIn = await lax.signIn({ email, password: signUpOf('').password });
  const { uid } = decodeJwt<{ uid: string }>(signedIn.accessToken);
  await lax.createPersonalToken({ accountId: uid, name: 'kept', scopes: ['runs:write'], lifeSeconds: 600n });
  await lax.resendVerification({ email });
  const texts = (await mail.allSent()).map(({ text }) => text ?? '');
  const token = texts.map((text) => /verify-email\?token=([\w-]+)/.exec(text)?.[1]).find((found) => found) ?? '';
  return { email, accountId: uid, token, proof, refreshToken: signedIn.refreshToken?.value ?? '' };
}

async function stateOf({ email, accountId, refreshToken }: Awaited<ReturnType<typeof claimed>>) {
  const password = signUpOf('').password;
  const isFulfilled = (call: Promise<unknown>) => call.then(() => true).catch(() => false);
  return {
    password: await isFulfilled(lax.signIn({ email, password })),
    refresh: await isFulfilled(lax.refresh({ refreshToken })),
    tokens: (await lax.listPersonalTokens({ accountId })).tokens.length,
  };
}

const nothing = { password: false, refresh: false, tokens: 0 };
const all = { password: true, refresh: true, tokens: 1 };

describe('the first proof of an address', () => {
  test('ends everything that the one has who signed up with it, and mails the owner a link to choose a password', async () => {
    const account = await claimed('boss@example.com');
    await mail.client.verifyEmail({ token: account.token });
    expect(await stateOf(account)).toEqual(nothing);
    const [reset] = await mail.allSent();
    expect(reset?.recipients).toEqual(['boss@example.com']);
    const token = /reset-password\?token=([\w-]+)/.exec(reset?.text ?? '')?.[1] ?? '';
    await lax.resetPassword({ token, newPassword: 'chosen by the owner' });
    expect((await lax.signIn({ email: account.email, password: 'chosen by the owner' })).accessToken).not.toBe('');
  });

  test('from the browser that signed up, or is signed in, ends nothing', async () => {
    const one = await claimed('own@example.com');
    await mail.client.verifyEmail({ token: one.token, signUpProof: one.proof });
    expect(await stateOf(one)).toEqual(all);
    const two = await claimed('own-too@example.com');
    await mail.client.verifyEmail({ token: two.token, refreshToken: two.refreshToken });
    expect(await stateOf(two)).toEqual(all);
    expect(await mail.allSent()).toEqual([]);
  });

  test('from a browser of another account, or one that was signed out, ends everything', async () => {
    const other = await claimed('other@example.com');
    const foreign = await claimed('foreign@example.com');
    const shown = { refreshToken: other.refreshToken, signUpProof: other.proof };
    await mail.client.verifyEmail({ token: foreign.token, ...shown });
    expect(await stateOf(foreign)).toEqual(nothing);
    expect(await stateOf(other)).toEqual(all);
    const left = await claimed('left@example.com');
    await lax.signOut({ refreshToken: left.refreshToken });
    await mail.client.verifyEmail({ token: left.token, refreshToken: left.refreshToken });
    expect(await stateOf(left)).toEqual(nothing);
    await sendDueMails(mail.context);
  });

  test('leaves the password of an account that could not sign in before, on whatever device the link is opened', async () => {
    const { token, address } = await mail.verifyTokenOf('gated@example.com');
    await mail.client.verifyEmail({ token });
    const { password } = signUpOf('');
    expect((await mail.client.signIn({ email: address, password })).accessToken).not.toBe('');
  });

  test('happens once: a second proof ends nothing', async () => {
    const account = await claimed('twice@example.com');
    await mail.client.verifyEmail({ token: account.token, signUpProof: account.proof });
    await mail.client.verifyEmail({ token: account.token });
    expect(await stateOf(account)).toEqual(all);
  });
});

describe('where mail is sent and addresses must be verified, a sign-up', () => {
  test('answers alike for addresses with an account and without', async () => {
    const first = await mail.client.signUp(signUpOf('known@example.com'));
    const again = await mail.client.signUp({ ...signUpOf('Known@example.com'), password: 'of somebody else' });
    const other = await mail.client.signUp(signUpOf('unknown@example.com'));
    const shapeOf = ({ account, proof }: typeof first) => ({
      ...account,
      id: account?.id.length,
      email: '',
      userId: typeof account?.userId,
      createdAt: typeof account?.createdAt?.seconds,
      updatedAt: typeof account?.updatedAt?.seconds,
      proof: proof.length,
    });
    expect(shapeOf(again)).toEqual(shapeOf(other));
    const ids = [first, again, other].map(({ account }) => account?.userId ?? 0n);
    expect([(ids[1] ?? 0n) - (ids[0] ?? 0n), (ids[2] ?? 0n) - (ids[1] ?? 0n)]).toEqual([1n, 1n]);
    const sent = await mail.allSent();
    expect(sent.flatMap(({ recipients }) => recipients).toSorted()).toEqual([
      'known@example.com',
      'known@example.com',
      'unknown@example.com',
    ]);
  });

  test('of a known address gives nobody a password that works: neither the first nor the second', async () => {
    const { token } = await mail.verifyTokenOf('mine@example.com');
    const { proof } = await mail.client.signUp({ ...signUpOf('mine@example.com'), password: 'of somebody else' });
    await mail.client.verifyEmail({ token, signUpProof: proof });
    for (const password of [signUpOf('').password, 'of somebody else']) {
      await expect(lax.signIn({ email: 'mine@example.com', password })).rejects.toThrow('Invalid email');
    }
    await sendDueMails(mail.context);
  });

  test('at the same time as another of the address is answered alike, and takes the password of both', async () => {
    const email = 'race@example.com';
    const { db } = mail.context;
    const columns = 'email, password_hash, first_name, last_name, sign_up_hash';
    const waits =
      'select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()';
    const begun: Promise<unknown>[] = [];
    // The first sign-up has stored its account, and not committed it yet.
    await db.transaction(async (tx) => {
      await tx.query({ text: `insert into accounts (${columns}) values ($1, 'a hash', 'A', 'B', 'a proof')` }, [email]);
      begun.push(Promise.allSettled([mail.client.signUp(signUpOf(email))]));
      await expect.poll(async () => (await db.query({ text: waits })).length, { timeout: 10_000 }).toBe(1);
    });
    const [second] = await Promise.all(begun);
    expect(second).toMatchObject([{ status: 'fulfilled', value: { account: { email, firstName: 'Ada' } } }]);
    const [sent] = await mail.allSent();
    await mail.client.verifyEmail({ token: /verify-email\?token=([\w-]+)/.exec(sent?.text ?? '')?.[1] ?? '' });
    const stored = await db.query({ text: 'select password_hash from accounts where email = $1' }, [email]);
    expect(stored).toEqual([{ password_hash: null }]);
    await sendDueMails(mail.context);
  });
});

test('a sign-up of a known address elsewhere is refused before anything is hashed', async () => {
  await using auth = await openTestAuth();
  let hashed = 0;
  const { passwords } = auth.context;
  const counting = {
    ...passwords,
    hash: (...args: Parameters<typeof passwords.hash>) => (hashed++, passwords.hash(...args)),
  };
  const client = clientOf({ ...auth.context, passwords: counting });
  await client.signUp(signUpOf('taken@example.com'));
  await expect(client.signUp(signUpOf('taken@example.com'))).rejects.toMatchObject({ reason: 'email_in_use' });
  expect(hashed).toBe(1);
});
