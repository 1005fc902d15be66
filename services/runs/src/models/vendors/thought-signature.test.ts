import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toStandardBase64, toUrlSafeBase64 } from '../../apps/turns/events/base64.ts';
import { keepSignature, recallSignature, type SignatureKind } from './thought-signature.ts';

const kind = fc.constantFrom<SignatureKind[]>('anthropic', 'anthropic-redacted', 'gemini', 'openai');
const signature = fc.oneof(
  fc.string({ minLength: 1, unit: 'grapheme' }),
  fc.base64String({ minLength: 1 }),
  fc.uint8Array({ minLength: 1 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.tuple(kind, fc.string()).map(([one, text]) => Buffer.from(`${one}:${text}`).toString('base64')),
);

test('any signature is unchanged after it was stored and read, and keeps its vendor', () => {
  fc.assert(
    fc.property(kind, signature, (one, text) => {
      const stored = toUrlSafeBase64(keepSignature(one, text));
      expect(stored).toMatch(/^[\w-]+=*$/);
      expect(recallSignature(toStandardBase64(stored))).toEqual({ kind: one, signature: text });
    }),
  );
});

test("Gemini's stay as they are", () => {
  expect(keepSignature('gemini', '+/8=')).toBe('+/8=');
});
