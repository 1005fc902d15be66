import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';

interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** The ways in which a token can be forged. */
export type Forgery = 'alg_none' | 'hs256_with_public_key' | 'another_key' | 'unknown_kid';

function createKey(number: number): SigningKey {
  return { kid: `fake-key-${number}`, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}

/** The RSA keys that sign Google's tokens. */
export class SigningKeys {
  #number = 1;
  #keys: readonly [SigningKey, ...SigningKey[]] = [createKey(1)];
  #stranger: SigningKey | undefined;

  /** Signs with a new key. The former one is published for the tokens that it has signed. */
  rotate(): void {
    this.#number += 1;
    this.#keys = [createKey(this.#number), this.#keys[0]];
  }

  /** The published keys as a JSON Web Key Set. */
  published(): object {
    return {
      keys: this.#keys.map(({ kid, publicKey }) => ({
        ...publicKey.export({ format: 'jwk' }),
        kid,
        alg: 'RS256',
        use: 'sig',
      })),
    };
  }

  /** The published keys as PEM, by their ids. */
  publishedAsPem(): object {
    return Object.fromEntries(
      this.#keys.map(({ kid, publicKey }) => [kid, publicKey.export({ format: 'pem', type: 'spki' })]),
    );
  }

  sign(claims: object): string {
    return signWith(this.#keys[0], claims);
  }

  /** A token that a receiver must refuse. */
  forge(claims: object, forgery: Forgery): string {
    const [{ kid, publicKey }] = this.#keys;
    this.#stranger ??= createKey(0);
    if (forgery === 'another_key') return signWith({ ...this.#stranger, kid }, claims);
    if (forgery === 'unknown_kid') return signWith(this.#stranger, claims);
    if (forgery === 'alg_none') return `${part({ typ: 'JWT', alg: 'none' })}.${part(claims)}.`;
    const input = `${part({ typ: 'JWT', alg: 'HS256', kid })}.${part(claims)}`;
    const secret = publicKey.export({ format: 'pem', type: 'spki' });
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  }
}

function signWith({ kid, privateKey }: SigningKey, claims: object): string {
  const input = `${part({ typ: 'JWT', alg: 'RS256', kid })}.${part(claims)}`;
  return `${input}.${createSign('RSA-SHA256').update(input).sign(privateKey, 'base64url')}`;
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
