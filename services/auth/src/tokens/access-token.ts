import { randomUUID } from 'node:crypto';
import { createKeyRing, importHmacKey, type SigningKey } from '@agentmesh/lib/signing';
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

/** Signs tokens with HS256 and the first of `keys`, which the header names unless it is `ENCRYPT_KEY`. */
export async function createAccessTokens(keys: readonly SigningKey[], expireMinutes: number): Promise<AccessTokens> {
  const { header, current } = await createKeyRing(keys, importHmacKey);
  return {
    issue({ id, email, role, signInId, isFromCookie = false }) {
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT({ uid: id, sid: signInId, role, type: 'access', ...(isFromCookie && { via: 'cookie' }) })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT', ...header })
        .setSubject(email)
        .setJti(randomUUID())
        .setIssuedAt(now)
        .setExpirationTime(now + expireMinutes * 60)
        .sign(current);
    },
  };
}
