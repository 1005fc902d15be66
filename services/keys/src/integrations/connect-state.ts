import { createHash, createHmac, randomBytes } from 'node:crypto';

const stateBytes = 32;

/** A new state: 32 random bytes. */
export function createState(): string {
  return randomBytes(stateBytes).toString('base64url');
}

/** The form in which a state is stored. A random text of 32 bytes needs no slow hash. */
export function hashOfState(state: string): Buffer {
  return createHash('sha256').update(state).digest();
}

/** The PKCE verifier of a state. It is derived, so that nothing secret is stored. */
export function verifierOf(key: Buffer, state: string): string {
  return createHmac('sha256', key).update(state).digest('base64url');
}

/** The S256 challenge of a verifier. */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
