import { createHash, randomBytes } from 'node:crypto';

const shape = /^[A-Za-z0-9_-]{43}$/;

/** A new secret that fetches the erasure receipt. Only its hash is stored. */
export function mintReceipt(): string {
  return randomBytes(32).toString('base64url');
}

/** Hash of that secret, as it is stored; undefined for text that is no such secret. */
export function hashReceipt(receipt: string): Buffer | undefined {
  return shape.test(receipt) ? createHash('sha256').update(receipt).digest() : undefined;
}
