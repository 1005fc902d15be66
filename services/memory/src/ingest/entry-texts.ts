import { contentText } from '../text/content-text.ts';
import type { WordStems } from '../text/languages.ts';
import type { Lexicon } from '../text/lexicon.ts';
import { wordsOf } from '../text/words.ts';

/** An entry with its text and words, as search reads them. */
export interface EntryText<T> {
  readonly entry: T;
  readonly text: string;
  readonly words: ReadonlySet<string>;
  /** Stems of its words, and perhaps of other words. */
  readonly known: ReadonlyMap<string, WordStems>;
}

/** Words per look-up. */
const mostWords = 10_000;

type Read<T> = Omit<EntryText<T>, 'known'>;

/** Reads entries and looks up their words in groups: few calls for many short entries, little memory for long ones. */
export async function* readTexts<T extends { readonly contentJson: string }>(
  entries: Iterable<T>,
  lexicon: Lexicon,
): AsyncGenerator<EntryText<T>> {
  for (const group of groupsOf(entries)) {
    const known = await lexicon.stemsOf(group.flatMap(({ words }) => [...words]));
    for (const read of group) yield { ...read, known };
  }
}

function* groupsOf<T extends { readonly contentJson: string }>(entries: Iterable<T>): Generator<Read<T>[]> {
  let group: Read<T>[] = [];
  let size = 0;
  for (const entry of entries) {
    const text = contentText(entry.contentJson);
    const words = wordsOf(text);
    group.push({ entry, text, words });
    size += words.size;
    if (size < mostWords) continue;
    yield group;
    group = [];
    size = 0;
  }
  yield group;
}
