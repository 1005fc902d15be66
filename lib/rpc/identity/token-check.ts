import { decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { Caller } from './caller.ts';
import type { NamedKey } from '../call/index.ts';
import { identityRefused } from './identity-refused.ts';
import { algorithm, skewSeconds, tokenSeconds } from './identity-token.ts';

/** Returns the service that a token proves. Rejects with MeshError. */
export type TokenCheck = (token: string) => Caller | Promise<Caller>;

const longestToken = 4_096;
const mostRemembered = 1_000;

/**
 * Creates the check of identity tokens. A token that was good is remembered until it expires, because a caller shows the same one for
 * minutes: checking a signature costs 0.1 ms.
 */
export function createTokenCheck(known: ReadonlyMap<string, NamedKey>): TokenCheck {
  const remembered = new Map<string, Caller>();
  return (token) => {
    const caller = remembered.get(token);
    if (caller !== undefined && performance.now() <= caller.expiresAt) return caller;
    return verify(token, known).then((verified) => {
      if (remembered.size >= mostRemembered) remembered.clear();
      remembered.set(token, verified);
      return verified;
    });
  };
}

async function verify(token: string, known: ReadonlyMap<string, NamedKey>): Promise<Caller> {
  const { service, key } = findKey(token, known);
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [algorithm],
      issuer: service,
      requiredClaims: ['aud', 'exp', 'iat'],
      maxTokenAge: tokenSeconds,
      clockTolerance: skewSeconds,
    });
    const leftMs = ((payload.exp ?? 0) + skewSeconds) * 1000 - Date.now();
    const expiresAt = performance.now() + leftMs;
    return { name: service, audience: new Set([payload.aud ?? []].flat()), expiresAt };
  } catch (error) {
    throw identityRefused(`the token of ${service} ${fault(error)}`);
  }
}

function findKey(token: string, known: ReadonlyMap<string, NamedKey>): NamedKey {
  if (token.length > longestToken) throw identityRefused('its token is too long');
  let keyId: string | undefined;
  try {
    keyId = decodeProtectedHeader(token).kid;
  } catch {
    throw identityRefused('its token is not a token');
  }
  const found = known.get(keyId ?? '');
  if (found === undefined) throw identityRefused('its key is not in MESH_IDENTITIES of the called process');
  return found;
}

/** The errors of jose are not passed on, because some contain claims. */
function fault(error: unknown): string {
  const isAge = error instanceof errors.JWTExpired || isClaim(error, 'iat');
  return isAge ? `is not valid now: compare the clocks of both machines` : 'is not signed with its key';
}

function isClaim(error: unknown, claim: string): boolean {
  return error instanceof errors.JWTClaimValidationFailed && error.claim === claim;
}
