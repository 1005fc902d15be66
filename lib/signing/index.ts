export { createKeyRing, importHmacKey, type KeyRing } from './key-ring.ts';
export { type SigningKey, signingKeysOf, tokenSigningKeys } from './signing-keys.ts';
