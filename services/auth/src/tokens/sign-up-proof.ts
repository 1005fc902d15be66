import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new secret for the browser that signs up. Only its hash is stored. */
export function mintSignUpProof(): string {
  return randomBytes(32).toString('base64url');
}

export function hashSignUpProof(proof: string): Buffer {
  return createHash('sha256').update(proof).digest();
}

/** Whether a text is the secret with this hash. Compared in constant time. */
export function isSignUpProof(proof: string, hash: Buffer | null): boolean {
  return proof !== '' && hash !== null && timingSafeEqual(hashSignUpProof(proof), hash);
}
