import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { pushKeysUnavailable, pushRefused, pushUnauthenticated } from '../../errors.ts';

export interface PushTokenOptions {
  /** Address of Google's keys. */
  readonly keysUrl: string;
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

/** Creates the check. It reads Google's keys at the first push, and again when a token has a new key. */
export function createPushTokenCheck({ keysUrl, audience, serviceAccount }: PushTokenOptions): CheckPushToken {
  const keys = createRemoteJWKSet(new URL(keysUrl), { timeoutDuration: 5_000 });
  return async (authorization, now) => {
    const [, token] = /^bearer +([^\s]+)$/i.exec(authorization) ?? [];
    if (token === undefined) throw pushUnauthenticated();
    if (audience === undefined || serviceAccount === undefined || token.length > maxLength) throw pushRefused();
    const claims = await verify(token, { keys, audience, now });
    const isOurs = typeof claims.aud === 'string' && claims.email === serviceAccount && claims.email_verified === true;
    if (!isOurs) throw pushRefused();
  };
}

interface Verification {
  readonly keys: JWTVerifyGetKey;
  readonly audience: string;
  readonly now: Date;
}

/** The errors of jose are not passed on, because some contain claims. */
async function verify(token: string, { keys, audience, now }: Verification): Promise<JWTPayload> {
  const options = { algorithms: ['RS256'], issuer: issuers, audience, requiredClaims: ['exp', 'iat'] };
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
