import { createHmac } from 'node:crypto';

/** Signs a thought like the fake does. The signature is opaque and contains `+` and `/`, like the vendor's. */
export function signThought(thinking: string): string {
  return createHmac('sha512', 'fake').update(thinking).digest('base64');
}

const mark = 'redacted by the fake: ';

/** Encrypts a thought so that only the fake can read it. */
export function redact(thought: string): string {
  return Buffer.from(mark + thought).toString('base64');
}

export function isRedacted(data: unknown): boolean {
  return typeof data === 'string' && Buffer.from(data, 'base64').toString().startsWith(mark);
}
