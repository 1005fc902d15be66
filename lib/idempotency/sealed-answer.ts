import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const authTagLength = 16;

/**
 * Encrypts the answer to a request with a key that only the client's idempotency key yields, because an answer may hold a secret that is shown once.
 * Who reads the table learns nothing, unless the key can be guessed.
 */
export function sealAnswer(answer: Uint8Array, secret: string): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, keyOf(secret), iv, { authTagLength });
  return Buffer.concat([iv, cipher.update(answer), cipher.final(), cipher.getAuthTag()]);
}

/** The inverse of `sealAnswer`. Throws when the secret is another one. */
export function openAnswer(sealed: Uint8Array, secret: string): Uint8Array {
  const tagAt = sealed.length - authTagLength;
  const decipher = createDecipheriv(algorithm, keyOf(secret), sealed.subarray(0, ivBytes), { authTagLength });
  decipher.setAuthTag(sealed.subarray(tagAt));
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes, tagAt)), decipher.final()]);
}

function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'agentmesh idempotency answer', 32));
}
