import { createHash, randomBytes, randomInt } from 'node:crypto';

/** Letters that are hard to confuse and spell no words: RFC 8628, section 6.1. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const userCodeLength = 8;

/** Secret of a program that waits for its sign-in: 256 random bits. */
export function mintDeviceCode(): string {
  return randomBytes(32).toString('base64url');
}

export function hashDeviceCode(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}

/** Code for a person to type: one of 25 thousand millions, for ten minutes. */
export function mintUserCode(): string {
  return Array.from({ length: userCodeLength }, () => letters[randomInt(letters.length)]).join('');
}

/** The code as it is stored, of what a person has typed. */
export function readUserCode(typed: string): string {
  return typed.toUpperCase().replaceAll(/[^A-Z]/g, '');
}

/** The code as it is shown: `BCDF-GHJK`. */
export function printUserCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
