import { createHmac } from 'node:crypto';
import { createEnvelopes, createLocalWrapper, deriveKey, purposes, type RootKeys } from './encryption/index.ts';

/** Purpose of a signing secret. */
export interface SecretPlace {
  readonly accountId: string;
  /** UUID. */
  readonly id: string;
}

/** Encrypts signing secrets, which other services store. */
export interface SigningVault {
  /** Returns the envelope of a secret, which opens only for the same place. */
  seal(secret: string, place: SecretPlace): Promise<string>;
  /** Returns the secret; undefined when it cannot be decrypted. */
  open(envelope: string, place: SecretPlace): Promise<string | undefined>;
  /** Whether an envelope is under the present key. */
  isCurrent(envelope: string): boolean;
  /** 16 hex digits, equal for equal secrets of one account. They change with ENCRYPT_KEY, and are of no use without it. */
  fingerprintOf(secret: string, accountId: string): string;
}

const fingerprintDigits = 16;

/** A vault under the root keys of the settings. */
export function createSigningVault(roots: RootKeys): SigningVault {
  const envelopes = createEnvelopes(createLocalWrapper(roots, purposes.signing));
  const fingerprintKey = deriveKey(roots, 'fingerprints of signing secrets');
  return {
    seal: (secret, place) => envelopes.seal(secret, columnOf(place)),
    open: (envelope, place) => envelopes.open(envelope, columnOf(place)),
    isCurrent: (envelope) => envelope.startsWith(envelopes.currentPrefix),
    fingerprintOf(secret, accountId) {
      const mac = createHmac('sha256', fingerprintKey).update(JSON.stringify([accountId, secret]));
      return mac.digest('hex').slice(0, fingerprintDigits);
    },
  };
}

function columnOf({ accountId, id }: SecretPlace) {
  return { table: 'signing_secrets', row: id, owner: accountId, column: 'secret' };
}
