import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countMatches } from '../src/text/matching.ts';
import { wordsOf } from '../src/text/words.ts';
import { newKey, type Said, search, type SessionKey, startMemory, type TestMemory } from './memory.ts';

let service: TestMemory;

beforeAll(async () => {
  service = await startMemory();
});
afterAll(() => service[Symbol.asyncDispose]());

async function remember(...said: readonly Said[]): Promise<SessionKey> {
  const session = newKey();
  service.sessions.say(session, ...said);
  await service.client.addSession({ session });
  return session;
}

describe('a search', () => {
  test('finds whole words in any case, not parts of ASCII words, and finds nothing for queries without words', async () => {
    const memory = await remember('The CAT sat.', 'concatenate', 'dog', '...', {
      content: { parts: [{ thought: true }] },
    });
    expect(await search(service, memory, 'cat')).toEqual(['The CAT sat.']);
    expect(await search(service, memory, 'sat_')).toEqual([]);
    expect(await search(service, memory, '...')).toEqual([]);
    expect(await search(service, memory, '')).toEqual([]);
  });

  test('puts those with more distinct words of the query first, ties in the order of insertion', async () => {
    const memory = await remember('apple one', 'pear two', 'apple apple apple', 'pear apple', 'plum apple pear');
    expect(await search(service, memory, 'apple pear apple plum')).toEqual([
      'plum apple pear',
      'pear apple',
      'apple one',
      'pear two',
      'apple apple apple',
    ]);
  });

  test('returns ten entries by default, of all sessions of the user in the order of insertion', async () => {
    const memory = await remember(...Array.from({ length: 8 }, (_, index) => `first ${index} word`));
    const other = { ...memory, sessionId: 'other' };
    service.sessions.say(other, ...Array.from({ length: 8 }, (_, index) => `second ${index} word`));
    await service.client.addSession({ session: other });
    const found = await search(service, memory, 'word');
    expect(found).toHaveLength(10);
    expect([found[0], found[7], found[8]]).toEqual(['first 0 word', 'first 7 word', 'second 0 word']);
    expect(await search(service, memory, 'word', 3)).toHaveLength(3);
    expect(await search(service, memory, 'word', 100)).toHaveLength(16);
    await expect(search(service, memory, 'word', 501)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  test('matches words beyond ASCII also inside others, and by the ASCII runs of mixed words', async () => {
    const memory = await remember(
      '日本語を話す',
      'Python入門',
      'les cafés du port',
      'ที่นี่อากาศดี',
      'Καλημέρα κόσμε',
      'ｆｕｌｌ',
    );
    expect(await search(service, memory, '日本')).toEqual(['日本語を話す']);
    expect(await search(service, memory, '話')).toEqual(['日本語を話す']);
    expect(await search(service, memory, 'python')).toEqual(['Python入門']);
    expect(await search(service, memory, 'café')).toEqual(['les cafés du port']);
    expect(await search(service, memory, 'อากาศ')).toEqual(['ที่นี่อากาศดี']);
    expect(await search(service, memory, 'ΚΌΣΜ')).toEqual(['Καλημέρα κόσμε']);
    expect(await search(service, memory, 'full')).toEqual(['ｆｕｌｌ']);
  });

  test('does not match a word whose parts are in different places', async () => {
    const memory = await remember('абвг вгде', 'абвгде');
    expect(await search(service, memory, 'абвгде')).toEqual(['абвгде']);
  });

  test('adds entries that share stems in the language of the text, after those that share words', async () => {
    const memory = await remember(
      'I have been walking to the harbour',
      'a walk in the park',
      'les chevaux et le cheval dans la prairie',
      'мы видели кошку на крыше',
    );
    expect(await search(service, memory, 'walk')).toEqual(['a walk in the park', 'I have been walking to the harbour']);
    expect(await search(service, memory, 'harbours')).toEqual(['I have been walking to the harbour']);
    expect(await search(service, memory, 'prairies')).toEqual(['les chevaux et le cheval dans la prairie']);
    expect(await search(service, memory, 'кошки')).toEqual(['мы видели кошку на крыше']);
  });

  test('finds a sentence without spaces by its parts, after entries with the whole sentence', async () => {
    const memory = await remember('明日の東京は雨です', '大阪に行きます', '東京の天気');
    expect(await search(service, memory, '東京の天気はどうですか')).toEqual(
      expect.arrayContaining(['明日の東京は雨です', '東京の天気']),
    );
  });

  test.each([
    ['operators', `cat & (dog | !bird):* <-> 'x' \\ "y" %_`],
    ['NUL', 'cat\0dog'],
    ['a lone surrogate', 'cat \ud800 \udc00dog'],
    ['100 KB of one word', 'x'.repeat(100_000)],
    ['100 KB of words', 'word'.repeat(5).concat(' cat ').repeat(4_000)],
    ['100 KB of letters without spaces', '猫'.repeat(33_000)],
    [
      'every letter on its own',
      Array.from({ length: 5_000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join(' '),
    ],
  ])('takes %s as text', async (_, query) => {
    const memory = await remember('the cat sat', '猫猫猫');
    await expect(search(service, memory, query)).resolves.toBeInstanceOf(Array);
  });

  test('finds the words of hostile texts', async () => {
    const texts = [
      'nul\0inside',
      'lone \ud800 half',
      'x'.repeat(70_000),
      `long ${'é'.repeat(70_000)}`,
      "o'clock & | ! :*",
    ];
    const memory = await remember(...texts);
    expect(await search(service, memory, 'inside')).toEqual(['nul\0inside']);
    expect(await search(service, memory, 'half')).toHaveLength(1);
    expect(await search(service, memory, 'x'.repeat(70_000))).toHaveLength(1);
    expect(await search(service, memory, 'éééé')).toHaveLength(1);
    expect(await search(service, memory, 'clock')).toEqual(["o'clock & | ! :*"]);
  });
});

const vocabulary = ['cat', 'dog', 'a', 'x_1', '猫', '猫犬', '日本語', 'Py猫thon', 'кот', 'котик', 'É', 'é1', 'ο', 'ОТ'];
const sentence = fc
  .array(fc.tuple(fc.constantFrom(...vocabulary), fc.constantFrom(' ', '', '-', '\n')), { maxLength: 8 })
  .map((words) => words.flat().join(''));

test('the index ranks like the rule of matching, for any texts and queries', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sentence, { maxLength: 25 }),
      fc.array(sentence, { maxLength: 4 }),
      async (texts, queries) => {
        const memory = await remember(...texts);
        for (const query of queries) {
          const words = [...wordsOf(query)];
          const ranked = texts
            .map((text, place) => ({ text, place, count: countMatches(words, text) }))
            .filter(({ count }) => count > 0)
            .toSorted((a, b) => b.count - a.count || a.place - b.place)
            .map(({ text }) => text);
          // Entries after the matches share stems and parts.
          expect((await search(service, memory, query, 100)).slice(0, ranked.length)).toEqual(ranked);
        }
      },
    ),
    { numRuns: 40 },
  );
});
