import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { minPasswordLength } from './password-length.ts';

/**
 * Number of passwords of the list, the most common first, that count. About 3,500 of them have eight characters or more; OWASP's
 * verification standard (ASVS 5.0, 6.2.4) asks for 3,000. Rarer ones would refuse passwords that nobody tries.
 */
const mostCommon = 10_000;

/** Tells whether a password is one that attackers try first. */
export type IsCommonPassword = (password: string) => boolean;

/**
 * Reads the passwords that leaked most often, from a package and without the network. Upper and lower case count as the same. It
 * takes about 10 ms at start and 0.5 MB.
 */
export async function openCommonPasswords(): Promise<IsCommonPassword> {
  const file = createRequire(import.meta.url).resolve('@zxcvbn-ts/language-common/src/passwords.json');
  const list = JSON.parse(await readFile(file, 'utf8')) as string[];
  const common = new Set(list.slice(0, mostCommon).filter((password) => password.length >= minPasswordLength));
  return (password) => common.has(password.normalize('NFKC').toLowerCase());
}
