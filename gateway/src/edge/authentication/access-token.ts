import type { webcrypto } from 'node:crypto';
import type { KeyRing } from '@agentmesh/lib/signing';
import { errors, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { invalidToken, revokedSession, unknownAccount, wrongTokenType } from './unauthorized.ts';

/** Claims of a valid access token. */
export interface AccessToken {
  /** UUID of the account. */
  readonly accountId: string;
  /** E-mail address of the account, in lower case. */
  readonly email: string;
  /** Sign-in that issued the token; the token ends with it. Undefined if the token names none. */
  readonly signInId: string | undefined;
  /** True: it was issued for a refresh cookie, not for a password. */
  readonly isFromCookie: boolean;
  /** Unix time in seconds. */
  readonly issuedAt: number;
  /** Unix time in seconds. */
  readonly expiresAt: number;
}

export interface TokenReader {
  /** Answers synchronously for a token that was read before. Fails with 401 for a token that is not a valid access token. */
  read(token: string): AccessToken | Promise<AccessToken>;
}

const rememberedTokens = 10_000;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Keys of HS256. */
export type HmacKeys = KeyRing<webcrypto.CryptoKey>;

/** Reads HS256 tokens of one `type`, signed with the key of `keys` that their header names. Accepts no other algorithm. */
export function createTokenReader(keys: HmacKeys, type = 'access'): TokenReader {
  const known = new LRUCache<string, AccessToken>({ max: rememberedTokens });
  return {
    read(token) {
      const found = known.get(token);
      if (found === undefined) return verify(token, keys, type).then((read) => remember(known, token, read));
      if (found.expiresAt * 1000 > Date.now()) return found;
      known.delete(token);
      throw invalidToken();
    },
  };
}

function remember(known: LRUCache<string, AccessToken>, token: string, read: AccessToken): AccessToken {
  known.set(token, read);
  return read;
}

function refuse(): never {
  throw invalidToken();
}

async function verify(token: string, keys: HmacKeys, type: string): Promise<AccessToken> {
  const keyOf = (header: { readonly kid?: string }) => keys.find(header) ?? refuse();
  const { payload } = await jwtVerify(token, keyOf, { algorithms: ['HS256'] }).catch((error: unknown) => {
    throw error instanceof errors.JOSEError ? invalidToken() : error;
  });
  if (payload.type !== type) throw wrongTokenType();
  const { sub, uid, sid, exp, iat, via } = payload;
  if (typeof sub !== 'string' || sub === '' || exp === undefined) throw invalidToken();
  if (iat === undefined) throw revokedSession();
  if (typeof uid !== 'string' || !uuid.test(uid)) throw unknownAccount();
  if (sid !== undefined && (typeof sid !== 'string' || !uuid.test(sid))) throw invalidToken();
  const signInId = sid?.toLowerCase();
  const account = { accountId: uid.toLowerCase(), email: sub.toLowerCase(), signInId };
  return { ...account, isFromCookie: via === 'cookie', issuedAt: iat, expiresAt: exp };
}
