import { createHash, randomBytes } from 'node:crypto';

const shape = /^[A-Za-z0-9_-]{43}$/;

/** What the receipt of an erasure is asked for by. It rests nowhere. */
export function mintReceipt(): string {
  return randomBytes(32).toString('base64url');
}

/** What rests of it; undefined for text that is none. */
export function hashReceipt(receipt: string): Buffer | undefined {
  return shape.test(receipt) ? createHash('sha256').update(receipt).digest() : undefined;
}
