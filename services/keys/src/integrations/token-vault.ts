import { createEnvelopes, createLocalWrapper, deriveKey, purposes, type RootKeys } from '../encryption/index.ts';

/** The place of a token. */
export interface TokenPlace {
  readonly accountId: string;
  readonly integrationId: bigint;
  readonly column: 'refresh_token' | 'access_token';
}

/** Encrypts the tokens of mail accounts. */
export interface TokenVault {
  /** Returns the envelope of a token, which opens only for the same place. */
  seal(token: string, place: TokenPlace): Promise<string>;
  /** Returns the token; undefined when it cannot be decrypted, and the user has to connect again. */
  open(envelope: string, place: TokenPlace): Promise<string | undefined>;
  /** Key of the PKCE verifiers. */
  readonly verifierKey: Buffer;
}

/** A vault under the root keys of the settings. */
export function createTokenVault(roots: RootKeys): TokenVault {
  const envelopes = createEnvelopes(createLocalWrapper(roots, purposes.integrations));
  return {
    seal: (token, place) => envelopes.seal(token, placeOf(place)),
    open: (envelope, place) => envelopes.open(envelope, placeOf(place)),
    verifierKey: deriveKey(roots, 'PKCE verifiers'),
  };
}

function placeOf({ accountId, integrationId, column }: TokenPlace) {
  return { table: 'integrations', row: String(integrationId), owner: accountId, column };
}
