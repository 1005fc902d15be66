import { describe, expect, test } from 'vitest';
import { formatArgon2id, hashArgon2id, matchesArgon2id, parseArgon2id, unmatchableArgon2id } from './argon2id.ts';

const cost = { memoryKib: 64, passes: 1, parallelism: 1 };

describe('an argon2id hash', () => {
  test('is unchanged after it is formatted and parsed', async () => {
    const text = formatArgon2id(await hashArgon2id('correct horse', cost));
    expect(text).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await matchesArgon2id('correct horse', parseArgon2id(text))).toBe(true);
    expect(await matchesArgon2id('correct horsf', parseArgon2id(text))).toBe(false);
  });

  test('agrees with the reference implementation of argon2', async () => {
    const text = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(await matchesArgon2id('password', parseArgon2id(text))).toBe(true);
  });

  test('of one secret differs each time', async () => {
    expect(formatArgon2id(await hashArgon2id('a', cost))).not.toBe(formatArgon2id(await hashArgon2id('a', cost)));
  });

  test('that cannot be matched has the cost of a real one', async () => {
    const hash = unmatchableArgon2id(cost);
    expect(hash).toMatchObject(cost);
    expect(await matchesArgon2id('anything', hash)).toBe(false);
  });

  test.each(['', 'secret', '$2b$12$abcdefghijklmnopqrstuv', '$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHQ'])(
    'in another form is an error that does not quote it: %j',
    (text) => {
      expect(() => parseArgon2id(text)).toThrow('a stored password hash is not an argon2id PHC string');
    },
  );
});
