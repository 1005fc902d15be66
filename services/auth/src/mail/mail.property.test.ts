import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readMail, tokenIn } from '../../../../test/fakes/smtp-sink.ts';
import { findEmailAddress } from '../email-address.ts';
import { createMailTokens, hashMailToken } from '../tokens/mail-token.ts';
import { composeMail } from './compose-mail.ts';
import { parseSmtpUrl } from '../smtp-url.ts';

describe('the address of an SMTP server', () => {
  test('is parsed or refused, for any text', () => {
    const nearly = fc.tuple(fc.constantFrom('smtp://', 'smtps://', 'http://', ''), fc.string());
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          nearly.map(([scheme, rest]) => scheme + rest),
        ),
        (text) => {
          const server = parseSmtpUrl(text);
          expect(server === undefined || (server.host !== '' && server.port >= 0)).toBe(true);
        },
      ),
    );
  });

  test('gives back the credentials it was made of', () => {
    const part = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(part, part, fc.integer({ min: 1, max: 65_535 }), (user, pass, port) => {
        const url = `smtp://${encodeURIComponent(user)}:${encodeURIComponent(pass)}@mail.example.org:${port}`;
        expect(parseSmtpUrl(url)).toEqual({
          host: 'mail.example.org',
          port,
          secure: false,
          requireTLS: true,
          auth: { user, pass },
        });
      }),
    );
  });

  test.each([
    ['smtp://127.0.0.1:25', { requireTLS: false, port: 25 }],
    ['smtp://[::1]', { requireTLS: false, host: '::1', port: 587 }],
    ['smtp://mail.example.org', { requireTLS: true, port: 587 }],
    ['smtp://mail.example.org?requireTLS=false', { requireTLS: false }],
    ['smtp://localhost.example.org', { requireTLS: true }],
    ['smtps://mail.example.org', { secure: true, port: 465 }],
    ['smtp://mail.example.org?tls.rejectUnauthorized=false', undefined],
    ['smtp://mail.example.org/path', undefined],
    ['smtp://%zz@mail.example.org', undefined],
  ])('%s', (text, expected) => {
    const server = parseSmtpUrl(text);
    if (expected === undefined) expect(server).toBeUndefined();
    else expect(server).toMatchObject(expected);
  });
});

describe('a mail', () => {
  const tokens = createMailTokens('a key that is used by this test and nowhere else');
  const tokenOf = (id: string) => tokens.tokenOf(id);

  test('to any address that can have an account goes to it alone, and its link survives', async () => {
    const local = fc.stringMatching(/^[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,20}$/);
    await fc.assert(
      fc.asyncProperty(fc.uuid(), local, async (id, name) => {
        const to = findEmailAddress(`${name}@example.com`) ?? '';
        const publicUrl = 'https://app.example.org/some/path';
        const from = 'Agent Mesh <mesh@example.org>';
        const content = { id, kind: 'reset' as const, to, from, date: new Date(0), publicUrl };
        const mail = await readMail(await composeMail({ ...content, token: tokenOf(id), lifetime: '30 minutes' }));
        expect(mail.to?.map(({ address }) => address)).toEqual([to]);
        expect([mail.cc, mail.bcc]).toEqual([undefined, undefined]);
        expect(mail.text).toContain(`${publicUrl}/auth/reset-password?token=`);
        expect(tokenIn(mail)).toBe(tokenOf(id));
      }),
    );
  });

  test('has a token of its own, and the same one under the same key', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (one, other) => {
        fc.pre(one !== other);
        expect(tokenOf(one)).not.toBe(tokenOf(other));
        expect(createMailTokens('another key').tokenOf(one)).not.toBe(tokenOf(one));
        expect(hashMailToken(tokenOf(one))).toHaveLength(32);
      }),
    );
  });

  test('has no other text for a token', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(hashMailToken(text) === undefined).toBe(!/^[\w-]{43}$/.test(text));
      }),
    );
  });
});
