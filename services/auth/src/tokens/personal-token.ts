import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'agentmesh_pat_';
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretBytes = 32;
const secretLength = 43;
const checksumLength = 6;

/**
 * A new token for programs: a prefix that secret scanners find, 256 random bits in base 62, and the CRC-32 of both in base 62. With the
 * checksum, a scanner can recognise a token without calling a server.
 */
export function mintPersonalToken(): string {
  const body = prefix + base62(BigInt(`0x${randomBytes(secretBytes).toString('hex')}`), secretLength);
  return body + base62(BigInt(crc32(body)), checksumLength);
}

/** Hash of a token, as it is stored. The token cannot be guessed, so a plain SHA-256 is enough. */
export function hashPersonalToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}
