import { randomUUID, webcrypto } from 'node:crypto';
import { SignJWT } from 'jose';

/** The account and sign-in that a token is for. */
export interface AccessTokenSubject {
  readonly id: string;
  readonly email: string;
  readonly role: string;
  /** The token becomes invalid when this sign-in ends. */
  readonly signInId: string;
  /** True: the token is issued for a refresh cookie, not for a password. */
  readonly isFromCookie?: boolean;
}

export interface AccessTokens {
  /** Returns a signed JWT of type `access`. */
  issue(subject: AccessTokenSubject): Promise<string>;
}

/** Signs tokens with HS256. The key is the UTF-8 bytes of `encryptKey`. */
export async function createAccessTokens(encryptKey: string, expireMinutes: number): Promise<AccessTokens> {
  const key = await importKey(encryptKey);
  return {
    issue({ id, email, role, signInId, isFromCookie = false }) {
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT({ uid: id, sid: signInId, role, type: 'access', ...(isFromCookie && { via: 'cookie' }) })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(email)
        .setJti(randomUUID())
        .setIssuedAt(now)
        .setExpirationTime(now + expireMinutes * 60)
        .sign(key);
    },
  };
}

function importKey(encryptKey: string): Promise<webcrypto.CryptoKey> {
  const bytes = new TextEncoder().encode(encryptKey);
  return webcrypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}
