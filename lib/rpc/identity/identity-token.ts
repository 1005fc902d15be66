import type { KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { keyIdOf } from '../call/index.ts';

/** Seconds for which a token is valid. */
export const tokenSeconds = 300;
/** Seconds that the clocks of two processes may differ. */
export const skewSeconds = 60;
export const algorithm = 'EdDSA';

export interface IdentityTokenOptions {
  /** Name of the service that calls. */
  readonly service: string;
  readonly key: KeyObject;
  /** Names of the services that the token is shown to. */
  readonly audience: readonly string[];
}

/** A token that tells other processes which service calls. It is signed again at half of its life. */
export class IdentityToken {
  readonly #options: IdentityTokenOptions;
  readonly #keyId: string;
  #text = '';
  #signedAt = -Infinity;
  #renewing: Promise<void> | undefined;

  constructor(options: IdentityTokenOptions) {
    this.#options = options;
    this.#keyId = keyIdOf(options.key);
  }

  /** The token. Valid when `renewal` has just answered undefined, or a promise that has resolved. */
  get text(): string {
    return this.#text;
  }

  /** Starts to renew an old token in the background. Returns the renewal when the present token is no longer of use. */
  renewal(): Promise<void> | undefined {
    const age = Date.now() - this.#signedAt;
    // An age below zero means that the clock was set back.
    if (age >= 0 && age < 500 * tokenSeconds) return undefined;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return age >= 0 && age < 900 * tokenSeconds ? undefined : this.#renewing;
  }

  async #renew(): Promise<void> {
    const { service, key, audience } = this.#options;
    const now = Date.now();
    const issuedAt = Math.floor(now / 1000);
    this.#text = await new SignJWT()
      .setProtectedHeader({ alg: algorithm, kid: this.#keyId })
      .setIssuer(service)
      .setAudience([...audience])
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + tokenSeconds)
      .sign(key);
    this.#signedAt = now;
  }
}
