import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { AuthService } from '@agentmesh/proto/auth/v1';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import type { AccountChanges } from './account-changes.ts';
import { createDirectory, type Directory } from './directory.ts';
import type { Grant } from './identity.ts';
import { unlessUnknown } from './standings.ts';
import { invalidToken } from './unauthorized.ts';

/** Account and permissions of a personal token. */
export interface PersonalToken {
  readonly accountId: string;
  /** In lower case. */
  readonly email: string;
  /** Unix time in milliseconds. */
  readonly expiresAtMs: number;
  readonly grant: Grant;
}

const prefix = 'agentmesh_pat_';
const shape = /^(agentmesh_pat_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const timeoutMs = 5_000;

/** Whether a bearer token has the form of a personal token. */
export function isPersonal(token: string): boolean {
  return token.startsWith(prefix);
}

/**
 * Directory by the token's text, or by its hash as its grant has it. A look-up fails with 401 for an unknown token, and as `unavailable` if auth cannot be
 * asked.
 */
export function createPersonalTokens(
  auth: Client<typeof AuthService>,
  changes: AccountChanges,
): Directory<PersonalToken> {
  return createDirectory(async (key) => {
    const hash = isPersonal(key) ? hashOf(key) : Buffer.from(key, 'base64url');
    const found = await auth.findPersonalToken({ hash }, { timeoutMs }).catch((error: unknown) => {
      throw unlessUnknown(error, invalidToken);
    });
    const { accountId, email, token } = found;
    if (token?.expiresAt === undefined) throw invalidToken();
    const named = { id: token.id, hash: hash.toString('base64url') };
    const grant = { token: named, scopes: new Set(token.scopes), userId: token.userId };
    return { accountId, email: email.toLowerCase(), expiresAtMs: timestampMs(token.expiresAt), grant };
  }, changes);
}

/** The checksum catches mistyped tokens without a call to auth. */
function hashOf(text: string): Buffer {
  if (!hasChecksum(text)) throw invalidToken();
  return createHash('sha256').update(text).digest();
}

function hasChecksum(text: string): boolean {
  const [, body = '', checksum = ''] = shape.exec(text) ?? [];
  let value = 0;
  for (const digit of checksum) value = value * 62 + digits.indexOf(digit);
  return body !== '' && value === crc32(body);
}
