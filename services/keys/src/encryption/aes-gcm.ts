import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
/** Always set: without it, OpenSSL accepts shortened tags, which can be guessed. */
const authTagLength = 16;
const overheadBytes = ivBytes + authTagLength;

/** Encrypts with a key of 32 bytes and a random IV: `iv | ciphertext | tag`. A random IV allows 2^32 encryptions per key. */
export function encrypt(key: Buffer, plain: Buffer, additional: Buffer): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength }).setAAD(additional);
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** The inverse of `encrypt`; undefined when a byte of key, text or additional data is not the same. */
export function decrypt(key: Buffer, sealed: Buffer, additional: Buffer): Buffer | undefined {
  if (sealed.length < overheadBytes) return undefined;
  const tagAt = sealed.length - authTagLength;
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, ivBytes), { authTagLength });
  decipher.setAAD(additional).setAuthTag(sealed.subarray(tagAt));
  const plain = decipher.update(sealed.subarray(ivBytes, tagAt));
  try {
    return Buffer.concat([plain, decipher.final()]);
  } catch {
    return undefined;
  }
}
