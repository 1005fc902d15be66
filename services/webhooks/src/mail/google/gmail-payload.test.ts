import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gmailContent, type GmailPart } from './gmail-payload.ts';
import { decodeHeader, formatAddress, parseAddresses } from '../text/mail-address.ts';

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64url');
const plain = (text: string | Buffer, charset?: string): GmailPart => ({
  mimeType: 'text/plain',
  headers: [{ name: 'content-TYPE', value: `text/plain${charset ? `; charset="${charset}"` : ''}` }],
  body: { data: base64(text) },
});
const html = (text: string): GmailPart => ({ mimeType: 'text/html', body: { data: base64(text) } });
const multipart = (kind: string, ...parts: GmailPart[]): GmailPart => ({ mimeType: `multipart/${kind}`, parts });
const file = (filename: string, mimeType = 'application/pdf'): GmailPart => ({
  mimeType,
  filename,
  body: { attachmentId: `id-${filename}`, size: 10 },
});
const textsOf = (payload: GmailPart): string[] => gmailContent(payload).texts.map(({ text }) => text);

describe('the texts of a Gmail message', () => {
  test('are found in nested parts, in plain text where there is a choice', () => {
    const body = multipart(
      'related',
      multipart('alternative', plain('Hello'), html('<b>Hello</b>')),
      file('logo.png', 'image/png'),
    );
    const content = gmailContent(multipart('mixed', body, file('bill.pdf'), plain('Footer')));
    expect(content.texts.map(({ text }) => text)).toEqual(['Hello', 'Footer']);
    expect(content.html?.text).toBe('<b>Hello</b>');
    expect(content.attachments.map(({ filename }) => filename)).toEqual(['logo.png', 'bill.pdf']);
  });

  test('are in HTML when there is no plain text or it is blank', () => {
    expect(textsOf(html('<b>x</b>'))).toEqual(['<b>x</b>']);
    expect(textsOf(multipart('alternative', plain(' \n'), html('<b>x</b>')))).toEqual(['<b>x</b>']);
  });

  test.each([
    ['UTF-8', plain('Zoë', 'utf-8'), 'Zoë'],
    ['UTF-8 that is not named', plain('Zoë'), 'Zoë'],
    ['Latin-1', plain(Buffer.from('Zoë', 'latin1'), 'ISO-8859-1'), 'Zoë'],
    ['Latin-1 that is not named', plain(Buffer.from('Zoë', 'latin1')), 'Zoë'],
    ['Shift JIS', plain(Buffer.from([0x93, 0xfa, 0x96, 0x7b]), 'shift_jis'), '日本'],
    ['an unknown charset', plain(Buffer.from('Zoë', 'latin1'), 'x-nonsense'), 'Zoë'],
  ])('are decoded from %s', (_, part, text) => {
    expect(textsOf(part)).toEqual([text]);
  });

  test('that Gmail keeps apart are named', () => {
    const part = { mimeType: 'text/plain', body: { attachmentId: 'big', size: 300_000 } };
    expect(gmailContent(part).texts).toMatchObject([{ attachmentId: 'big', text: '' }]);
  });

  test('do not include attached texts and messages', () => {
    const attached = { ...plain('secret'), filename: 'notes.txt', body: { attachmentId: 'a', size: 6 } };
    const message = { mimeType: 'message/rfc822', filename: 'old.eml', parts: [plain('old')] };
    const inline = { ...plain('x'), headers: [{ name: 'Content-Disposition', value: 'attachment' }] };
    expect(textsOf(multipart('mixed', plain('new'), attached, message, inline))).toEqual(['new']);
  });

  test('are limited in depth, number and length', () => {
    let deep = plain('deep');
    for (let n = 0; n < 100; n += 1) deep = multipart('mixed', deep);
    expect(textsOf(deep)).toEqual([]);
    expect(textsOf(multipart('mixed', ...Array.from({ length: 1_000 }, () => plain('x')))).length).toBeLessThan(200);
    const long = textsOf(multipart('mixed', plain('x'.repeat(300_000)), plain('y')));
    expect(long.join('')).toHaveLength(256 * 1024);
  });

  test('of any payload are found without an error', () => {
    const leaf = fc.record(
      { mimeType: fc.string(), filename: fc.string(), body: fc.record({ data: fc.string() }) },
      { requiredKeys: [] },
    );
    const { tree } = fc.letrec<{ tree: GmailPart }>((tie) => ({
      tree: fc.oneof(leaf, fc.record({ mimeType: fc.constant('multipart/mixed'), parts: fc.array(tie('tree')) })),
    }));
    fc.assert(fc.property(tree, (payload) => void gmailContent(payload)));
  });
});

describe('a header', () => {
  test('is decoded from encoded words', () => {
    expect(decodeHeader('=?utf-8?Q?Zo=C3=AB?= =?utf-8?B?IQ==?= x')).toBe('Zoë! x');
    expect(decodeHeader('=?nonsense')).toBe('=?nonsense');
  });

  test('with addresses is read', () => {
    const addresses = parseAddresses(
      '=?utf-8?Q?Zo=C3=AB?= <zoe@example.com>, "Doe, Jane" <jane@example.com>, bob@example.com',
    );
    expect(addresses.map(formatAddress)).toEqual([
      'Zoë <zoe@example.com>',
      'Doe, Jane <jane@example.com>',
      'bob@example.com',
    ]);
  });

  test('of any text is read without an error', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (value) => void parseAddresses(value).map(formatAddress)));
    for (const text of ['<', '(', '"', ',', ':', '=?', 'a@b,'])
      expect(parseAddresses(text.repeat(20_000)).length).toBeLessThanOrEqual(200);
  });
});
