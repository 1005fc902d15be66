import { describe, expect, test } from 'vitest';
import { findEmailAddress, normalizeEmailAddress } from './email-address.ts';

describe('an e-mail address', () => {
  test.each([
    ['  Alice@Example.COM \n', 'alice@example.com'],
    ["o'brien+list@mail.example.co.uk", "o'brien+list@mail.example.co.uk"],
    ['JÖRG@Müller.example', 'jörg@xn--mller-kva.example'],
    ['jo\u0308rg@example.com', 'jörg@example.com'],
  ])('%j is kept as %j', (text, address) => {
    expect(normalizeEmailAddress(text)).toBe(address);
    expect(normalizeEmailAddress(address)).toBe(address);
  });

  test.each([
    '',
    'alice',
    '@example.com',
    'alice@',
    'alice@example',
    'a@b@example.com',
    'a@example.com,b@example.com',
    'a@example.com;b@example.com',
    'Alice <alice@example.com>',
    '"a b"@example.com',
    'a b@example.com',
    'a\u0000@example.com',
    'a\r\nBcc: b@example.com',
    'a\u200b@example.com',
    '.a@example.com',
    'a..b@example.com',
    'a@-example.com',
    'a@example..com',
    'a@127.0.0.1',
    'a@[127.0.0.1]',
    'a@１２７.0.0.1',
    'a\ud800@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b.'.repeat(130)}com`,
  ])('%j is refused', (text) => {
    expect(findEmailAddress(text)).toBeUndefined();
    expect(() => normalizeEmailAddress(text)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', reason: 'email_invalid' }),
    );
  });

  test('of hostile length is refused at once', () => {
    const started = performance.now();
    expect(findEmailAddress(`${'a.'.repeat(5_000_000)}@example.com`)).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
