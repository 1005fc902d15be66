import { beforeAll, expect, test } from 'vitest';
import { type IsCommonPassword, openCommonPasswords } from './common-passwords.ts';

let isCommon: IsCommonPassword;
beforeAll(async () => {
  isCommon = await openCommonPasswords();
});

test.each([
  'password',
  '12345678',
  '123456789',
  'password1',
  'Password123',
  'qwertyuiop',
  'iloveyou',
  'ｐａｓｓｗｏｒｄ',
  ' password',
  'letmein123',
])('attackers try %s first', (password) => expect(isCommon(password)).toBe(true));

test.each([
  'correct horse battery',
  'Password123!',
  'Sup3r-secret',
  'a'.repeat(256),
  '🙂'.repeat(8),
  'a rabbit in the fog',
  '',
])('%s is none of the most common passwords', (password) => expect(isCommon(password)).toBe(false));
