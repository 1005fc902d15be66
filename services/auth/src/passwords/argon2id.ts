import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** Cost of one hash. RFC 9106 names: m (KiB), t, p. */
export interface Argon2idCost {
  readonly memoryKib: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** A parsed `$argon2id$v=19$m=…,t=…,p=…$salt$digest`. */
export interface Argon2idHash extends Argon2idCost {
  readonly salt: Buffer;
  readonly digest: Buffer;
}

const derive = promisify(argon2);
const saltLength = 16;
const digestLength = 32;
const phc = /^\$argon2id\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,})\$([A-Za-z0-9+/]{11,})$/;

/** Hashes `secret` with a new random salt. */
export async function hashArgon2id(secret: string, cost: Argon2idCost): Promise<Argon2idHash> {
  const salt = randomBytes(saltLength);
  return { ...cost, salt, digest: await digestOf(secret, { ...cost, salt }, digestLength) };
}

/** A random hash that matches no known secret. Checking it costs as much as checking a real one. */
export function unmatchableArgon2id(cost: Argon2idCost): Argon2idHash {
  return { ...cost, salt: randomBytes(saltLength), digest: randomBytes(digestLength) };
}

/** Whether `hash` is the hash of `secret`. Compared in constant time. */
export async function matchesArgon2id(secret: string, hash: Argon2idHash): Promise<boolean> {
  return timingSafeEqual(await digestOf(secret, hash, hash.digest.length), hash.digest);
}

/** The PHC string form, as stored. */
export function formatArgon2id(hash: Argon2idHash): string {
  const cost = `m=${hash.memoryKib},t=${hash.passes},p=${hash.parallelism}`;
  return `$argon2id$v=19$${cost}$${unpadded(hash.salt)}$${unpadded(hash.digest)}`;
}

/** @throws Error when `text` is not argon2id version 19 in PHC string form; the message does not quote it */
export function parseArgon2id(text: string): Argon2idHash {
  const [, memoryKib, passes, parallelism, salt, digest] = phc.exec(text) ?? [];
  if (!salt || !digest) throw new Error('a stored password hash is not an argon2id PHC string');
  return {
    memoryKib: Number(memoryKib),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    digest: Buffer.from(digest, 'base64'),
  };
}

function digestOf(
  secret: string,
  { memoryKib, passes, parallelism, salt }: Argon2idCost & { salt: Buffer },
  tagLength: number,
) {
  return derive('argon2id', { message: secret, nonce: salt, memory: memoryKib, passes, parallelism, tagLength });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
