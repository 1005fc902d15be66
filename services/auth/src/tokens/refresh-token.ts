import { createHash, createHmac, randomBytes } from 'node:crypto';

/**
 * A refresh token: one half names the family, which all tokens of a sign-in share, the other is the secret that only this one has.
 * Whoever shows the family half has held a token of the family, so an old secret beside it is a reuse and not a guess.
 */
export interface RefreshToken {
  readonly family: string;
  readonly secret: string;
}

const halfBytes = 32;
const shape = /^([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{43})$/;

/** The first token of a new family. */
export function mintRefreshToken(): RefreshToken {
  return { family: randomText(), secret: randomText() };
}

/** Undefined for text that is no refresh token. */
export function parseRefreshToken(text: string): RefreshToken | undefined {
  const [, family, secret] = shape.exec(text) ?? [];
  return family === undefined || secret === undefined ? undefined : { family, secret };
}

export function formatRefreshToken({ family, secret }: RefreshToken): string {
  return family + secret;
}

/** What rests of a half: it cannot be guessed, so a plain hash is enough. */
export function hashOf(half: string): Buffer {
  return createHash('sha256').update(half).digest();
}

/** A salt for `successorOf`. */
export function freshSalt(): Buffer {
  return randomBytes(halfBytes);
}

/**
 * The token that follows `parent`: made of its secret, which rests nowhere, and a salt that rests beside its hash, so that whoever
 * shows the parent again can be given the same successor, and the database alone gives nobody anything. No setting takes part:
 * keys may change under a family.
 */
export function successorOf(parent: RefreshToken, salt: Buffer): RefreshToken {
  const secret = createHmac('sha256', parent.secret).update(salt).digest('base64url');
  return { family: parent.family, secret };
}

function randomText(): string {
  return randomBytes(halfBytes).toString('base64url');
}
