import { createHmac } from 'node:crypto';
import { createEnvelopes, createLocalWrapper, deriveKey, purposes, type RootKeys } from '../encryption/index.ts';

/** The row that a secret belongs to. */
export interface SecretOwner {
  readonly accountId: string;
  readonly keyId: bigint;
}

/** Encrypts the secrets of saved keys. */
export interface Vault {
  /** Returns the envelope of a secret, which opens only for the same owner. */
  seal(secret: string, owner: SecretOwner): Promise<string>;
  /** Returns the secret; undefined when it cannot be decrypted and has to be entered again. */
  open(envelope: string, owner: SecretOwner): Promise<string | undefined>;
  /** 16 hex digits, equal for equal secrets of one account. They change with ENCRYPT_KEY, and are of no use without it. */
  fingerprintOf(secret: string, accountId: string): string;
}

const fingerprintDigits = 16;

/** A vault under the root keys of the settings. */
export function createVault(roots: RootKeys): Vault {
  const envelopes = createEnvelopes(createLocalWrapper(roots, purposes.savedKeys));
  const fingerprintKey = deriveKey(roots, 'fingerprints of saved keys');
  return {
    seal: (secret, owner) => envelopes.seal(secret, placeOf(owner)),
    open: (envelope, owner) => envelopes.open(envelope, placeOf(owner)),
    fingerprintOf(secret, accountId) {
      const mac = createHmac('sha256', fingerprintKey).update(JSON.stringify([accountId, secret]));
      return mac.digest('hex').slice(0, fingerprintDigits);
    },
  };
}

function placeOf({ accountId, keyId }: SecretOwner) {
  return { table: 'saved_keys', row: String(keyId), owner: accountId, column: 'secret' };
}
