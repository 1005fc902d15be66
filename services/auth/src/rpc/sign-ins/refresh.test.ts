import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { clientOf, openTestAuth, signUpOf, type TestAuth } from '../../../test/open-test-auth.ts';
import { createAccessTokens } from '../../tokens/access-token.ts';

const invalid = { code: 'unauthenticated', reason: 'refresh_token_invalid', message: 'Invalid or expired token' };
const revoked = { code: 'unauthenticated', reason: 'session_revoked', message: 'Session revoked' };

let auth: TestAuth;
let first: string;
beforeAll(async () => {
  auth = await openTestAuth();
  await auth.client.signUp(signUpOf('ada@example.com'));
});
beforeEach(async () => {
  first = await signIn();
});
afterAll(() => auth[Symbol.asyncDispose]());

async function signIn(): Promise<string> {
  const { refreshToken } = await auth.client.signIn(signUpOf('ada@example.com'));
  return refreshToken?.value ?? '';
}

async function refresh(refreshToken: string, client = auth.client): Promise<string> {
  const answer = await client.refresh({ refreshToken });
  return answer.refreshToken?.value ?? '';
}

/** Moves all times in the database back by `seconds`. */
async function pass(seconds: number): Promise<void> {
  await auth.context.db.query(
    {
      text: `update sign_ins set rotated_at = rotated_at - make_interval(secs => $1),
        expires_at = expires_at - make_interval(secs => $1)`,
    },
    [seconds],
  );
}

describe('a refresh', () => {
  test('gives a new access token of the same sign-in, and a successor of the cookie', async () => {
    const signedIn = await auth.client.signIn(signUpOf('ada@example.com'));
    const refreshed = await auth.client.refresh({ refreshToken: signedIn.refreshToken?.value ?? '' });
    const [before, after] = [decodeJwt(signedIn.accessToken), decodeJwt(refreshed.accessToken)];
    expect(after).toMatchObject({
      sub: 'ada@example.com',
      uid: before.uid,
      sid: before.sid,
      role: 'USER',
      type: 'access',
    });
    expect(after.jti).not.toBe(before.jti);
    expect(refreshed.refreshToken?.value).toMatch(/^[A-Za-z0-9_-]{86}$/);
    expect(refreshed.refreshToken?.value).not.toBe(signedIn.refreshToken?.value);
    expect(refreshed.refreshToken?.maxAgeSeconds).toBe(2_592_000n);
  });

  test('of the token before gives the same successor for ten seconds, and ends the sign-in after', async () => {
    let [second, again] = ['', ''];
    // One of the ten seconds is left. A machine that was too busy for it has tested nothing, and does it again.
    for (let tookMs = Infinity; tookMs > 1_000; ) {
      first = await signIn();
      const startedAt = performance.now();
      second = await refresh(first);
      await pass(9);
      again = await refresh(first).catch(String);
      tookMs = performance.now() - startedAt;
    }
    expect(again).toBe(second);
    await pass(2);
    await expect(refresh(first)).rejects.toMatchObject(revoked);
    await expect(refresh(second)).rejects.toMatchObject(revoked);
  });

  test('of any older token ends the sign-in at once, and no other', async () => {
    const other = await signIn();
    const third = await refresh(await refresh(first));
    await expect(refresh(first)).rejects.toMatchObject(revoked);
    await expect(refresh(third)).rejects.toMatchObject(revoked);
    expect(await refresh(other)).not.toBe('');
  });

  test('with a guessed secret and a true family ends the sign-in; with an unknown family it ends nothing', async () => {
    await expect(refresh('A'.repeat(43) + first.slice(43))).rejects.toMatchObject(invalid);
    const second = await refresh(first);
    await expect(refresh(second.slice(0, 43) + 'A'.repeat(43))).rejects.toMatchObject(revoked);
    await expect(refresh(second)).rejects.toMatchObject(revoked);
  });

  test.each(['', 'x', 'a.b.c', `${'A'.repeat(86)}=`, '\0'.repeat(86), 'A'.repeat(86)])(
    'of text that is no token, %j, is refused',
    async (text) => {
      await expect(refresh(text)).rejects.toMatchObject(invalid);
    },
  );

  test('of an access token is refused', async () => {
    const { accessToken } = await auth.client.signIn(signUpOf('ada@example.com'));
    await expect(refresh(accessToken)).rejects.toMatchObject(invalid);
  });

  test('is refused after thirty days without a refresh', async () => {
    await pass(2_591_990);
    const second = await refresh(first);
    await pass(2_592_001);
    await expect(refresh(second)).rejects.toMatchObject(invalid);
  });

  test('is refused after sign-out with any token of the sign-in', async () => {
    const second = await refresh(first);
    await auth.client.signOut({ refreshToken: first });
    await auth.client.signOut({ refreshToken: first });
    await expect(refresh(second)).rejects.toMatchObject(revoked);
  });

  test('of a deleted account is refused', async () => {
    const { account } = await auth.client.signUp(signUpOf('gone@example.com'));
    const { refreshToken } = await auth.client.signIn(signUpOf('gone@example.com'));
    await auth.client.deleteAccount({ id: account?.id ?? '' });
    await expect(refresh(refreshToken?.value ?? '')).rejects.toMatchObject(invalid);
  });

  test('of an unverified account is refused where verification is required, and the token stays valid', async () => {
    await auth.context.db.query({
      text: `update accounts set email_verification_waived = false where email = 'ada@example.com'`,
    });
    const gated = clientOf(auth.contextWith({ AUTH_EMAIL_VERIFICATION_REQUIRED: 'true' }));
    await expect(refresh(first, gated)).rejects.toMatchObject({
      code: 'unauthenticated',
      reason: 'email_not_verified',
      message: 'Email not verified',
    });
    expect(await refresh(first)).not.toBe('');
  });

  test('works under another ENCRYPT_KEY, also when it is repeated across the change', async () => {
    const accessTokens = await createAccessTokens(
      [{ id: 'b', secret: 'another key that only these tests know of' }],
      120,
    );
    const rotated = clientOf({ ...auth.context, accessTokens });
    const second = await refresh(first, rotated);
    expect(await refresh(first)).toBe(second);
    expect(await refresh(second, rotated)).not.toBe('');
  });

  test('of one token by many callers at once gives all of them the same successor, a thousand times over', async () => {
    for (let race = 0; race < 1_000; race += 1) {
      const successors = new Set(await Promise.all([refresh(first), refresh(first), refresh(first)]));
      expect(successors.size).toBe(1);
      [first = ''] = successors;
    }
  });

  test('stores nothing from which a token can be made', async () => {
    const second = await refresh(first);
    const rows = await auth.context.db.query({ text: 'select sign_ins::text as row from sign_ins' });
    const dump = JSON.stringify(rows);
    for (const token of [first, second]) {
      for (const half of [token.slice(0, 43), token.slice(43)]) {
        expect(dump).not.toContain(half);
        expect(dump).not.toContain(Buffer.from(half, 'base64url').toString('hex'));
      }
    }
    expect(auth.logged.join('')).not.toContain(second.slice(0, 43));
  });
});
