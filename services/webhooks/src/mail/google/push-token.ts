import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { pushKeysUnavailable, pushRefused, pushUnauthenticated } from '../../errors.ts';

/** The token of a push, and what it has to be for. */
export interface PushToken {
  /** Value of the header `Authorization`; empty when there is none. */
  readonly authorization: string;
  /** Accepted audiences; none: every push is refused. */
  readonly audiences: readonly string[];
  readonly now: Date;
}

/** Resolves to the verified address of the service account that Google has made the token for. Throws MeshError when it is none of ours. */
export type ReadPushToken = (token: PushToken) => Promise<string>;

export interface PushTokenOptions {
  readonly readToken: ReadPushToken;
  /** Exact audience of tokens; undefined: every push is refused. */
  readonly audience: string | undefined;
  /** Address of the service account that signs pushes; undefined: every push is refused. */
  readonly serviceAccount: string | undefined;
}

/** Checks the header `Authorization` of a push at a time. Throws MeshError unless it has a token that Google made for our Pub/Sub subscription. */
export type CheckPushToken = (authorization: string, now: Date) => Promise<void>;

const issuers = ['https://accounts.google.com', 'accounts.google.com'];
const skewSeconds = 60;
const maxLength = 8_192;

/** Creates the reader over the address of Google's keys. It reads them at the first push, and again when a token has a new key. */
export function createPushTokenReader(keysUrl: string): ReadPushToken {
  const url = new URL(keysUrl);
  let keys: JWTVerifyGetKey | undefined;
  return async ({ authorization, audiences, now }) => {
    const [, token] = /^bearer +([^\s]+)$/i.exec(authorization) ?? [];
    if (token === undefined) throw pushUnauthenticated();
    if (audiences.length === 0 || token.length > maxLength) throw pushRefused();
    // Not before: Node loads its HTTP client for it.
    keys ??= createRemoteJWKSet(url, { timeoutDuration: 5_000 });
    const { aud, email, email_verified: isVerified } = await verify(token, { keys, audiences, now });
    if (typeof aud !== 'string' || typeof email !== 'string' || isVerified !== true) throw pushRefused();
    return email;
  };
}

/** Creates the check of pushes of one service account for one audience. */
export function createPushTokenCheck({ readToken, audience, serviceAccount }: PushTokenOptions): CheckPushToken {
  const audiences = audience === undefined || serviceAccount === undefined ? [] : [audience];
  return async (authorization, now) => {
    if ((await readToken({ authorization, audiences, now })) !== serviceAccount) throw pushRefused();
  };
}

interface Verification {
  readonly keys: JWTVerifyGetKey;
  readonly audiences: readonly string[];
  readonly now: Date;
}

/** The errors of jose are not passed on, because some contain claims. */
async function verify(token: string, { keys, audiences, now }: Verification): Promise<JWTPayload> {
  const options = { algorithms: ['RS256'], issuer: issuers, audience: [...audiences], requiredClaims: ['exp', 'iat'] };
  try {
    return (await jwtVerify(token, keys, { ...options, clockTolerance: skewSeconds, currentDate: now })).payload;
  } catch (error) {
    if (isRefusal(error)) throw pushRefused();
    throw pushKeysUnavailable();
  }
}

/** Anything else means that the keys could not be read. */
function isRefusal(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  if (!(error instanceof errors.JOSEError)) return false;
  return error.code !== 'ERR_JOSE_GENERIC';
}
