import { decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { createAccessTokens } from './access-token.ts';

const secret = 'a key of more than thirty-two bytes, with ümlauts';
const key = [{ id: undefined, secret }];
const signInId = '0d6c7a52-98a4-4b8e-9a51-5d2f6f0b7c11';
const subject = { id: '6f1f3c3e-6d0c-4a5e-9d3f-0f1a2b3c4d5e', email: 'alice@example.com', role: 'USER', signInId };

describe('an access token', () => {
  test('names its account and ends when the setting says', async () => {
    const token = await (await createAccessTokens(key, 120)).issue(subject);
    const { payload } = await jwtVerify(token, new TextEncoder().encode(secret), { algorithms: ['HS256'] });
    expect(Object.keys(payload).sort()).toEqual(['exp', 'iat', 'jti', 'role', 'sid', 'sub', 'type', 'uid']);
    expect(payload).toMatchObject({ sub: subject.email, uid: subject.id, sid: signInId, role: 'USER', type: 'access' });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(120 * 60);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT' });
  });

  test('names the key that has signed it, unless that is ENCRYPT_KEY', async () => {
    const token = await (await createAccessTokens([{ id: '2026b', secret: 'b'.repeat(32) }, ...key], 1)).issue(subject);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT', kid: '2026b' });
    await jwtVerify(token, new TextEncoder().encode('b'.repeat(32)));
  });

  test('differs from every other, even of the same second', async () => {
    const tokens = await createAccessTokens(key, 1);
    expect(await tokens.issue(subject)).not.toBe(await tokens.issue(subject));
  });

  test('does not verify under another key', async () => {
    const token = await (await createAccessTokens(key, 1)).issue(subject);
    await expect(jwtVerify(token, new TextEncoder().encode(`${secret} `))).rejects.toThrow(
      'signature verification failed',
    );
  });
});
