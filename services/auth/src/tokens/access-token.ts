import { randomUUID, webcrypto } from 'node:crypto';
import { SignJWT } from 'jose';

/** Whom a token names. */
export interface AccessTokenSubject {
  readonly id: string;
  readonly email: string;
  readonly role: string;
  /** The sign-in that the token ends with. */
  readonly signInId: string;
}

export interface AccessTokens {
  /** A signed JWT of type `access`. */
  issue(subject: AccessTokenSubject): Promise<string>;
}

/** Signs with HS256 over the UTF-8 bytes of `encryptKey`. */
export async function createAccessTokens(encryptKey: string, expireMinutes: number): Promise<AccessTokens> {
  const key = await importKey(encryptKey);
  return {
    issue({ id, email, role, signInId }) {
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT({ uid: id, sid: signInId, role, type: 'access' })
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
