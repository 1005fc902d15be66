// Settings carry a key as `service:key`, the 32 bytes of an Ed25519 key in base64url.

import { createPrivateKey, createPublicKey, generateKeyPairSync, hkdfSync, type KeyObject } from 'node:crypto';
import type { MeshIdentities, NamedKey } from './mesh-options.ts';

/** DER of a PKCS #8 Ed25519 key, up to its 32 bytes (RFC 8410). */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const keyBytes = 32;

/** Parses `service:key` with a private key. Returns undefined when it is not one. */
export function readPrivateKey(text: string): NamedKey | undefined {
  const { service, bytes } = split(text);
  return bytes && { service, key: privateKey(bytes) };
}

/** Parses `service:key` with a public key. Returns undefined when it is not one. */
export function readPublicKey(text: string): NamedKey | undefined {
  const { service, bytes } = split(text);
  if (bytes === undefined) return undefined;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') };
  return { service, key: createPublicKey({ key: jwk, format: 'jwk' }) };
}

/** A new key pair of a service, as settings carry it. */
export function makeIdentity(service: string): { readonly secret: string; readonly shown: string } {
  const { privateKey: key } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = key.export({ format: 'jwk' });
  return { secret: `${service}:${d}`, shown: `${service}:${x}` };
}

/** Identifies a private key in tokens and in the list of known keys: its public bytes in base64url. */
export function keyIdOf(key: KeyObject): string {
  return publicPart(key).export({ format: 'jwk' }).x ?? '';
}

/** Indexes public keys by their ids. */
export function knownKeys(keys: readonly NamedKey[]): ReadonlyMap<string, NamedKey> {
  return new Map(keys.map((named) => [named.key.export({ format: 'jwk' }).x ?? '', named]));
}

/**
 * Key pairs of all services that are derived from shared secrets: the first makes the private keys, all of them the known ones.
 * A holder of the first secret can act as every service.
 */
export function deriveIdentities(secrets: readonly string[], services: readonly string[]): MeshIdentities {
  const pairs = secrets.map((secret) => services.map((service) => ({ service, key: derived(secret, service) })));
  const shown = pairs.flat().map(({ service, key }) => ({ service, key: publicPart(key) }));
  return { own: new Map(pairs[0]?.map(({ service, key }) => [service, key])), known: knownKeys(shown) };
}

function derived(secret: string, service: string): KeyObject {
  return privateKey(Buffer.from(hkdfSync('sha256', secret, '', `agentmesh identity ${service}`, keyBytes)));
}

function privateKey(bytes: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8, bytes]), format: 'der', type: 'pkcs8' });
}

function publicPart(key: KeyObject): KeyObject {
  return createPublicKey(key.export({ format: 'pem', type: 'pkcs8' }));
}

function split(text: string): { service: string; bytes: Buffer | undefined } {
  const [, service = '', encoded = ''] = /^([a-z][a-z0-9]*):([\w-]{43})$/.exec(text) ?? [];
  const bytes = Buffer.from(encoded, 'base64url');
  return { service, bytes: bytes.length === keyBytes ? bytes : undefined };
}
