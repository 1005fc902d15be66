import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { authenticationResults } from './authentication-results.ts';
import { automaticReason } from './automatic-mail.ts';
import { isAuthenticated } from './is-authenticated.ts';
import { isSenderAllowed } from './sender-allowed.ts';

const gmail = `mx.google.com;
  dkim=pass header.i=@example.com header.s=s1 header.b="ab;c=d";
  spf=pass (google.com: domain of ada@mail.example.com designates 192.0.2.1 (as; permitted) sender) smtp.mailfrom=ada@mail.example.com;
  dmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from=example.com`;
const exchange =
  'spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=other.net; dkim=none (message not signed) header.d=none;dmarc=fail action=none header.from=example.com;compauth=fail reason=001';
const headersOf = (...values: string[]) => values.map((value) => ({ name: 'Authentication-Results', value }));
const isGenuine = (value: string, sender: string): boolean =>
  isAuthenticated(authenticationResults(headersOf(value)), sender);

describe('authentication results', () => {
  test('are read with comments, quoted strings and without a server name', () => {
    expect(authenticationResults(headersOf(gmail)).map(({ method, result }) => [method, result])).toEqual([
      ['dkim', 'pass'],
      ['spf', 'pass'],
      ['dmarc', 'pass'],
    ]);
    expect(authenticationResults(headersOf(exchange)).map(({ method, result }) => `${method}=${result}`)).toEqual([
      'spf=pass',
      'dkim=none',
      'dmarc=fail',
      'compauth=fail',
    ]);
  });

  test('of any text are read without an error', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (value) => void authenticationResults(headersOf(value))));
    expect(authenticationResults(headersOf('('.repeat(100_000)))).toEqual([]);
    expect(authenticationResults([])).toEqual([]);
  });

  test('of the first header count, not those that the sender wrote below it', () => {
    const both = headersOf(exchange, gmail);
    expect(isAuthenticated(authenticationResults(both), 'ada@example.com')).toBe(false);
  });

  test.each([
    ['DMARC', 'x; dmarc=pass header.from=example.com', true],
    ['DMARC of another domain', 'x; dmarc=pass header.from=evil.com', false],
    [
      'DMARC failed although DKIM passed',
      'x; dkim=pass header.d=example.com; dmarc=fail header.from=example.com',
      false,
    ],
    ['DKIM of the domain', 'x; dkim=pass header.d=example.com', true],
    ['DKIM of another domain', 'x; dkim=pass header.d=evil.com', false],
    ['DKIM of a domain that ends alike', 'x; dkim=pass header.d=ample.com', false],
    ['DKIM of the top-level domain', 'x; dkim=pass header.d=com', false],
    ['SPF of a domain below', 'x; spf=pass smtp.mailfrom=b@mail.example.com', false],
    ['SPF of the domain', 'x; spf=pass smtp.mailfrom=bounce@example.com', true],
    ['SPF that did not pass', 'x; spf=softfail smtp.mailfrom=bounce@example.com', false],
    ['results in a comment', 'x; none (dkim=pass header.d=example.com)', false],
    ['nothing', '', false],
  ])('with %s confirm the sender or not', (_, value, expected) => {
    expect(isGenuine(value, 'Ada@Example.com')).toBe(expected);
  });

  test('confirm a sender in a domain below the one that passed', () => {
    expect(isGenuine('x; dkim=pass header.d=example.com', 'ada@news.example.com')).toBe(true);
  });
});

describe('a mail', () => {
  const from = { sender: 'ada@example.com', mailbox: 'me@example.com' };

  test.each([
    ['Auto-Submitted', 'auto-replied; owner-email="x"'],
    ['auto-submitted', 'Auto-Generated'],
    ['Precedence', 'bulk'],
    ['Precedence', 'auto_reply'],
    ['X-Autoreply', 'yes'],
    ['Return-Path', '<>'],
  ])('with %s: %s is automatic', (name, value) => {
    expect(automaticReason({ ...from, headers: [{ name, value }] })).toContain('the mail is ');
  });

  test.each([
    ['Auto-Submitted', 'no'],
    ['Precedence', 'list'],
    ['Subject', 'Auto-Submitted: yes'],
  ])('with %s: %s is not', (name, value) => {
    expect(automaticReason({ ...from, headers: [{ name, value }] })).toBeUndefined();
  });

  test('of the mailbox itself would start a loop', () => {
    expect(automaticReason({ sender: 'ME@example.com', mailbox: 'me@Example.com', headers: [] })).toContain('itself');
  });
});

test.each([
  [[], 'anybody@example.com', true],
  [[], undefined, true],
  [['ada@example.com'], 'Ada@Example.COM', true],
  [['ada@example.com'], 'bob@example.com', false],
  [['@example.com'], 'bob@example.com', true],
  [['example.com'], 'bob@example.com', true],
  [['example.com'], 'bob@evil-example.com', false],
  [['example.com'], 'bob@sub.example.com', false],
  [['example.com'], '"bob@example.com"@evil.com', false],
  [['example.com'], undefined, false],
  [[''], 'bob@example.com', false],
])('the allowed senders %j let %s through: %s', (allowed, sender, expected) => {
  expect(isSenderAllowed(allowed, sender)).toBe(expected);
});
