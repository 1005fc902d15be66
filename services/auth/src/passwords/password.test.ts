import { describe, expect, test } from 'vitest';
import { createPasswords, isPossiblePassword } from './password.ts';

const isCommon = (password: string) => password === 'password1';
const weak = createPasswords({ memoryKib: 64, passes: 1, parallelism: 1 }, isCommon);
const strong = createPasswords({ memoryKib: 128, passes: 2, parallelism: 1 }, isCommon);

describe('a password', () => {
  test('matches only the hash made of it', async () => {
    const stored = await weak.hash('correct horse');
    expect(await weak.verify('correct horse', stored)).toEqual({ matches: true, outdated: false });
    expect(await weak.verify('Correct horse', stored)).toEqual({ matches: false, outdated: false });
  });

  test('never matches when there is no account', async () => {
    expect((await weak.verify('correct horse', undefined)).matches).toBe(false);
  });

  test('typed composed or decomposed is the same password', async () => {
    expect((await weak.verify('pa\u0308ssword', await weak.hash('pässword'))).matches).toBe(true);
  });

  test('is not cut at 72 bytes', async () => {
    const stored = await weak.hash(`${'a'.repeat(200)}b`);
    expect((await weak.verify(`${'a'.repeat(200)}c`, stored)).matches).toBe(false);
  });

  test('hashed at a lower cost is reported as outdated', async () => {
    expect((await strong.verify('correct horse', await weak.hash('correct horse'))).outdated).toBe(true);
    expect((await weak.verify('correct horse', await strong.hash('correct horse'))).outdated).toBe(false);
  });

  test.each(['12345678', '🙂'.repeat(8), 'a'.repeat(256), '🙂'.repeat(256), '        '])('may be %j', (text) => {
    expect(() => weak.checkNew(text)).not.toThrow();
    expect(isPossiblePassword(text)).toBe(true);
  });

  test.each([
    '',
    '1234567',
    '🙂'.repeat(7),
    'a'.repeat(257),
    '🙂'.repeat(257),
    'pass\0word',
    'password\ud800',
    'password1',
    'Ada@example.com',
  ])('may not be %j', (text) => {
    expect(() => weak.checkNew(text, 'ada@example.com')).toThrow(
      expect.objectContaining({ code: 'invalid_argument', reason: 'password_invalid' }),
    );
  });
});
