import { expect, test } from 'vitest';
import { hasOneAddress } from './mail-address.ts';

test.each([
  'bob@example.org',
  'Bob <bob@example.org>',
  '"bob@example.org" <eve@example.net>',
  'Bob (at work @ home) <bob@example.org>',
])('the header From %j names one mailbox', (value) => {
  expect(hasOneAddress([value])).toBe(true);
});

test.each([
  [[]],
  [['nobody']],
  [['<bob@example.org> <eve@example.net>']],
  [['bob@example.org, eve@example.net']],
  [['bob@example.org <eve@example.net>']],
  [['eve@example.net\0<bob@example.org>']],
  [['bob@example.org', 'eve@example.net']],
  [['"bob@example.org" <x> <eve@example.net>']],
])('the headers From %j are not clear', (values) => {
  expect(hasOneAddress(values)).toBe(false);
});
