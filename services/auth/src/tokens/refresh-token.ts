import { createHash, createHmac, randomBytes } from 'node:crypto';

/**
 * A refresh token. One half names the family: all tokens of a sign-in share it. The other half is the secret of this token. The family half
 * cannot be guessed, so a request with it and an old secret comes from somebody who has had a token of the family: a reuse.
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

/** Hash of one half, as it is stored. The half cannot be guessed, so a plain SHA-256 is enough. */
export function hashOf(half: string): Buffer {
  return createHash('sha256').update(half).digest();
}

/** A new random salt for `successorOf`. */
export function freshSalt(): Buffer {
  return randomBytes(halfBytes);
}

/**
 * The token that follows `parent`, computed from the parent's secret, which is not stored, and a salt, which is stored. A client that
 * sends the parent again gets the same successor, and the database alone gives nobody a token. No setting takes part, so families live on
 * when keys change.
 */
export function successorOf(parent: RefreshToken, salt: Buffer): RefreshToken {
  const secret = createHmac('sha256', parent.secret).update(salt).digest('base64url');
  return { family: parent.family, secret };
}

function randomText(): string {
  return randomBytes(halfBytes).toString('base64url');
}
