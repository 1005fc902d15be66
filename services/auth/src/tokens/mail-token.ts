import { createHash, createHmac, hkdfSync } from 'node:crypto';

/** Tokens for links in mail. */
export interface MailTokens {
  /** The token of a mail: the same for every attempt at sending it, so that none has to rest anywhere. */
  tokenOf(mailId: string): string;
}

const shape = /^[A-Za-z0-9_-]{43}$/;

/** Tokens that follow from `encryptKey` and say nothing about it. */
export function createMailTokens(encryptKey: string): MailTokens {
  const key = Buffer.from(hkdfSync('sha256', encryptKey, '', 'agentmesh auth mail token', 32));
  return { tokenOf: (mailId) => createHmac('sha256', key).update(mailId).digest('base64url') };
}

/** What rests of a token; undefined for text that is none. It cannot be guessed, so a plain hash is enough. */
export function hashMailToken(token: string): Buffer | undefined {
  return shape.test(token) ? createHash('sha256').update(token).digest() : undefined;
}
