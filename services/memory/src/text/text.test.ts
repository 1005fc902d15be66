import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { detectLanguage, languages } from './languages.ts';
import { countMatches } from './matching.ts';
import { entryTerms, substringTerms, wordTerm } from './terms.ts';
import { isAscii, wordsOf } from './words.ts';

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string());
const noStems = { language: 'english', of: () => undefined };

describe('words', () => {
  test('of any text are lower-case runs of letters, digits and underscore, which are their own words', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const word of wordsOf(text)) {
          expect(word).toMatch(/^[\p{L}\p{N}\p{M}_]+$/u);
          expect(word).not.toMatch(/[A-Z]/);
          expect([...wordsOf(word)]).toEqual([word]);
        }
      }),
    );
  });

  test('are the same in upper and lower case, and with any separators', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-zA-Z0-9_é猫]{1,8}$/)),
        fc.constantFrom(' ', '\0', '. ', '\ud800', '—'),
        (words, gap) => {
          const expected = [...new Set(words.map((word) => word.toLowerCase()))];
          expect([...wordsOf(words.join(gap))]).toEqual(expected);
          expect([...wordsOf(words.join(gap).toUpperCase())]).toEqual(expected);
        },
      ),
    );
  });

  test.each([
    ["don't stop", ['don', 't', 'stop']],
    ['snake_case 4.5', ['snake_case', '4', '5']],
    ['ＦＵＬＬ ﬁne', ['full', 'fine']],
    ['ΟΔΟΣ οδός', ['οδοσ', 'οδόσ']],
    ['İstanbul ISTANBUL', ['istanbul']],
    ['cafe\u0301 café', ['café']],
    ['ที่นี่', ['ที่นี่']],
  ])('of %s are %j', (text, words) => {
    expect([...wordsOf(text)]).toEqual(words);
  });
});

describe('terms', () => {
  test('of a text include the terms of every word that matches it', () => {
    fc.assert(
      fc.property(anyText, anyText, (text, query) => {
        const terms = entryTerms(wordsOf(text), noStems);
        for (const word of wordsOf(query)) {
          const own = isAscii(word) ? [wordTerm(word)] : substringTerms(word);
          const runs = isAscii(word) ? [] : (word.match(/[a-z0-9_]+/g) ?? []).map(wordTerm);
          const found = own.every((term) => terms.has(term)) || runs.some((run) => terms.has(run));
          if (countMatches([word], text) > 0) expect(found).toBe(true);
          else if (isAscii(word)) expect(found).toBe(false);
        }
      }),
    );
  });

  test('are short enough for a key of an index', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const term of entryTerms(wordsOf(text.repeat(50)), noStems))
          expect(Buffer.byteLength(term)).toBeLessThan(200);
      }),
    );
  });
});

describe('the language of a text', () => {
  const stems = (word: string, ...stopIn: string[]) => languages.map((one) => (stopIn.includes(one) ? '' : word));

  test('is that of most of its stop words, or the given one without stop words', () => {
    expect(detectLanguage([], 'german')).toBe('german');
    expect(detectLanguage([stems('katze')], 'german')).toBe('german');
    expect(detectLanguage([stems('les', 'french'), stems('on', 'french', 'english')], 'english')).toBe('french');
    expect(detectLanguage([stems('on', 'french', 'english')], 'english')).toBe('english');
  });
});
