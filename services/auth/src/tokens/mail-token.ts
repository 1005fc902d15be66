import { createHash, createHmac, hkdfSync } from 'node:crypto';

/** Computes the tokens of links in mail. */
export interface MailTokens {
  /** The token of a mail. It is the same for every attempt to send the mail, so it need not be stored. */
  tokenOf(mailId: string): string;
}

const shape = /^[A-Za-z0-9_-]{43}$/;

/** The tokens are derived from `encryptKey` with HKDF and HMAC, and do not reveal it. */
export function createMailTokens(encryptKey: string): MailTokens {
  const key = Buffer.from(hkdfSync('sha256', encryptKey, '', 'agentmesh auth mail token', 32));
  return { tokenOf: (mailId) => createHmac('sha256', key).update(mailId).digest('base64url') };
}

/** Hash of a token, as it is stored; undefined for text that is no token. It cannot be guessed, so a plain SHA-256 is enough. */
export function hashMailToken(token: string): Buffer | undefined {
  return shape.test(token) ? createHash('sha256').update(token).digest() : undefined;
}
