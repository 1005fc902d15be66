import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanText, cutText } from './clean-text.ts';

const clean = (text: string): string => cleanText(text, { lines: true, maxLength: 1_000 });

describe('cleaning a text', () => {
  test.each([
    ['zero-width characters', 'pay\u200B\u200C\u200D\uFEFF\u2060pal', 'paypal'],
    ['bidirectional controls', 'a\u202Ecod\u2066.exe\u061C', 'acod.exe'],
    ['tags that hide a text', `hi${String.fromCodePoint(0xe0049, 0xe0067, 0xe006e)}`, 'hi'],
    ['variation selectors that hide bytes', `x${String.fromCodePoint(0xe0100, 0xfe03)}`, 'x'],
    ['controls', 'a\u0000\u0007\u001B[31mb\u009F', 'a[31mb'],
  ])('removes %s', (_, text, cleaned) => {
    expect(clean(text)).toBe(cleaned);
  });

  test('keeps lines, emoji and letters of all scripts, composed', () => {
    expect(clean('Zo\u0065\u0308\r\n☀\uFE0F שלום 你好 👍')).toBe('Zoë\n☀\uFE0F שלום 你好 👍');
  });

  test('keeps at most 30 marks in a row', () => {
    expect(clean(`a${'\u0316\u0301'.repeat(5_000)}`).length).toBeLessThanOrEqual(31);
  });

  test('makes well-formed text of any input', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 }), (units) => {
        const cleaned = clean(String.fromCharCode(...units));
        expect(cleaned.isWellFormed()).toBe(true);
        expect(cleaned).not.toMatch(/(?![\n\t])[\p{Cc}\u200B-\u200F\u202A-\u202E\uFEFF]/u);
      }),
    );
  });
});

test('a text is not cut within a character', () => {
  expect(cutText('👍'.repeat(10), 12)).toBe('👍👍… [cut]');
  expect(cutText('short', 5)).toBe('short');
});
