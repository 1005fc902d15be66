import { availableParallelism } from 'node:os';
import { passwordInvalid } from '../errors.ts';
import { isStorable } from '../storable-text.ts';
import type { Argon2idCost } from './argon2id.ts';
import { formatArgon2id, hashArgon2id, matchesArgon2id, parseArgon2id, unmatchableArgon2id } from './argon2id.ts';
import type { IsCommonPassword } from './common-passwords.ts';
import { maxPasswordLength, minPasswordLength } from './password-length.ts';
import { createWorkLimit } from './work-limit.ts';

/** Hashes and checks passwords, with a limit of hashes at once. */
export interface Passwords {
  /**
   * Returns a PHC string of the current cost. Aborting `signal` rejects while the hash has not started. Hashes that are not urgent
   * wait in a short queue of their own until no urgent one waits.
   */
  hash(password: string, options?: HashOptions): Promise<string>;
  /** Without a stored hash it does the same work and returns `matches: false`. */
  verify(password: string, stored: string | undefined, signal?: AbortSignal): Promise<Verdict>;
  /**
   * Checks a new password of the account with this address: 8 to 256 characters (code points) as sent, without NUL, none of the most
   * common passwords, and not the address. Throws MeshError invalid_argument `password_invalid`.
   */
  checkNew(password: string, address?: string): void;
}

export interface HashOptions {
  readonly signal?: AbortSignal;
  /** True when left out. */
  readonly isUrgent?: boolean;
}

export interface Verdict {
  readonly matches: boolean;
  /** The stored hash has a lower cost than the current one. */
  readonly outdated: boolean;
}

/** Most calls that wait. In a longer queue, callers would have given up before their turn. */
const maxWaiting = 2_000;
/** The same for calls that are not urgent. They are sign-ups, which anybody can send. */
const maxUnhurried = 100;

/** Passwords are hashed in NFKC (NIST SP 800-63B), so that composed and decomposed characters give the same hash. */
export function createPasswords(cost: Argon2idCost, isCommon: IsCommonPassword): Passwords {
  const limit = createWorkLimit(hashConcurrency(), { urgent: maxWaiting, other: maxUnhurried });
  const unmatchable = unmatchableArgon2id(cost);

  return {
    async hash(password, options) {
      const hash = await limit.run(() => hashArgon2id(password.normalize('NFKC'), cost), options);
      return formatArgon2id(hash);
    },
    async verify(password, stored, signal) {
      const hash = stored === undefined ? unmatchable : parseArgon2id(stored);
      const equal = await limit.run(() => matchesArgon2id(password.normalize('NFKC'), hash), { signal });
      const outdated = hash.memoryKib < cost.memoryKib || hash.passes < cost.passes;
      return { matches: equal && stored !== undefined, outdated };
    },
    checkNew(password, address) {
      checkForm(password);
      if (isCommon(password)) throw passwordInvalid('The password is one of the most common ones: choose another.');
      if (password.toLowerCase() === address) throw passwordInvalid('The password must not be the e-mail address.');
    },
  };
}

function checkForm(password: string): void {
  const length = Array.from(password.slice(0, 2 * maxPasswordLength + 1)).length;
  if (length < minPasswordLength)
    throw passwordInvalid(`The password must have at least ${minPasswordLength} characters.`);
  if (length > maxPasswordLength)
    throw passwordInvalid(`The password must have at most ${maxPasswordLength} characters.`);
  if (!isStorable(password)) throw passwordInvalid('The password must be text without NUL characters.');
}

/** Whether an account can have this password. False for text that is too long or malformed, without hashing it. */
export function isPossiblePassword(password: string): boolean {
  return password.length <= 2 * maxPasswordLength && isStorable(password);
}

/** Hashes run on libuv's four threads. File access and DNS look-ups use these threads, too, so one is left for them. */
function hashConcurrency(): number {
  return Math.min(availableParallelism(), 3);
}
