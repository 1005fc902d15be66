import { webcrypto } from 'node:crypto';
import type { SigningKey } from './signing-keys.ts';

/** Keys of one purpose, by the id of the signing key that each comes from. */
export interface KeyRing<K> {
  /** The header field that names the key that signs; empty for `ENCRYPT_KEY`. */
  readonly header: { readonly kid?: string };
  /** The key that signs. */
  readonly current: K;
  /** The key that a header names. Undefined for one that is unknown: no other key is tried. */
  find(header: { readonly kid?: unknown }): K | undefined;
}

/** Makes the key of one purpose of each signing key. `make` is called once for each. */
export async function createKeyRing<K>(
  keys: readonly SigningKey[],
  make: (secret: string) => K | Promise<K>,
): Promise<KeyRing<K>> {
  const made = await Promise.all(keys.map(async ({ id, secret }) => [id, await make(secret)] as const));
  const [first] = made;
  if (first === undefined) throw new RangeError('there is no key to sign with');
  const [id, current] = first;
  const byId = new Map<unknown, K>(made);
  return { header: id === undefined ? {} : { kid: id }, current, find: ({ kid }) => byId.get(kid) };
}

/** A key of HS256 that signs and verifies. */
export function importHmacKey(secret: string): Promise<webcrypto.CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return webcrypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['sign', 'verify']);
}
