import { availableParallelism } from 'node:os';
import { passwordInvalid } from '../errors.ts';
import { isStorable } from '../storable-text.ts';
import type { Argon2idCost } from './argon2id.ts';
import { formatArgon2id, hashArgon2id, matchesArgon2id, parseArgon2id, unmatchableArgon2id } from './argon2id.ts';
import { createWorkLimit } from './work-limit.ts';

export const minPasswordLength = 8;
export const maxPasswordLength = 256;

/** Turns passwords into hashes and checks them, never more at a time than the machine can bear. */
export interface Passwords {
  /** A PHC string at the current cost. */
  hash(password: string, signal?: AbortSignal): Promise<string>;
  /** Without a stored hash it answers `matches: false` after the same work. */
  verify(password: string, stored: string | undefined, signal?: AbortSignal): Promise<Verdict>;
}

export interface Verdict {
  readonly matches: boolean;
  /** Stored below the current cost. */
  readonly outdated: boolean;
}

/** Longer lines than this only serve callers that have given up. */
const maxWaiting = 2_000;

/** Passwords are hashed in NFKC (NIST SP 800-63B), so that keyboards that compose differently agree. */
export function createPasswords(cost: Argon2idCost): Passwords {
  const limit = createWorkLimit(hashConcurrency(), maxWaiting);
  const unmatchable = unmatchableArgon2id(cost);

  return {
    async hash(password, signal) {
      const hash = await limit.run(() => hashArgon2id(password.normalize('NFKC'), cost), signal);
      return formatArgon2id(hash);
    },
    async verify(password, stored, signal) {
      const hash = stored === undefined ? unmatchable : parseArgon2id(stored);
      const equal = await limit.run(() => matchesArgon2id(password.normalize('NFKC'), hash), signal);
      const outdated = hash.memoryKib < cost.memoryKib || hash.passes < cost.passes;
      return { matches: equal && stored !== undefined, outdated };
    },
  };
}

/**
 * Lets a new password be 8 to 256 characters (code points) as sent, of any kind but NUL.
 *
 * @throws MeshError invalid_argument `password_invalid`
 */
export function checkNewPassword(password: string): void {
  const length = Array.from(password.slice(0, 2 * maxPasswordLength + 1)).length;
  if (length < minPasswordLength)
    throw passwordInvalid(`The password must have at least ${minPasswordLength} characters.`);
  if (length > maxPasswordLength)
    throw passwordInvalid(`The password must have at most ${maxPasswordLength} characters.`);
  if (!isStorable(password)) throw passwordInvalid('The password must be text without NUL characters.');
}

/** Whether `password` could be anyone's: what is too long or malformed is refused before it costs a hash. */
export function isPossiblePassword(password: string): boolean {
  return password.length <= 2 * maxPasswordLength && isStorable(password);
}

/** Hashes run on libuv's four threads, which file and name look-ups share: one is left to them. */
function hashConcurrency(): number {
  return Math.min(availableParallelism(), 3);
}
