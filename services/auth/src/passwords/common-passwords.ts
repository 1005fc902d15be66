import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { minPasswordLength } from './password-length.ts';

/** Tells whether a password is one that attackers try first. */
export type IsCommonPassword = (password: string) => boolean;

/**
 * Reads the passwords that leaked most often, from a package and without the network: about 18,000 of its 49,000 have eight characters or more; OWASP's
 * verification standard (ASVS 5.0, 6.2.4) asks for 3,000. Upper and lower case count as the same, and blanks around a password do not count. It takes some 20 ms at
 * start and 2 MB.
 */
export async function openCommonPasswords(): Promise<IsCommonPassword> {
  const file = createRequire(import.meta.url).resolve('@zxcvbn-ts/language-common/src/passwords.json');
  const list = JSON.parse(await readFile(file, 'utf8')) as string[];
  const common = new Set(list.filter((password) => password.length >= minPasswordLength));
  return (password) => common.has(password.normalize('NFKC').trim().toLowerCase());
}
