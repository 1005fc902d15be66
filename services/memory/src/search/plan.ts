import { languages, type WordStems } from '../text/languages.ts';
import { exactSubstringLength, stemTerm, substringTerms, wordTerm } from '../text/terms.ts';
import { asciiRunsOf, isAscii, wordsOf } from '../text/words.ts';

/** A condition on an entry: it holds all terms of at least one of the alternatives. */
export type Unit = readonly (readonly string[])[];

export interface QueryPlan {
  /** The words that count, in the order of the query. */
  readonly words: readonly string[];
  /** One for each word: entries that have it. */
  readonly whole: readonly Unit[];
  /** Entries that have none of the words, but others of their stems, or parts of a text without spaces. */
  readonly loose: readonly Unit[];
  /** Whether the whole units say exactly what matches; otherwise some that they find do not. */
  readonly exact: boolean;
}

const mostWords = 64;
const mostSegments = 64;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
/** Scripts that are written without spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const telling = /^\p{sc=Han}$|^.{2,}$/su;

/** The words of a query that are used. */
export function queryWords(query: string): string[] {
  return [...wordsOf(query)].slice(0, mostWords);
}

/** The terms to look up for a query, in a memory whose entries are in the languages `spoken`. */
export function planQuery(
  words: readonly string[],
  stems: ReadonlyMap<string, WordStems>,
  spoken: readonly string[],
): QueryPlan {
  const segments = words.flatMap(segmentsOf).slice(0, mostSegments);
  return {
    words,
    whole: words.map(wholeUnit),
    loose: [
      ...words.map((word) => stemUnit(word, stems.get(word) ?? [], spoken)).filter((unit) => unit.length > 0),
      ...segments.map((segment) => [substringTerms(segment)]),
    ],
    exact: words.every((word) => isAscii(word) || Array.from(word).length <= exactSubstringLength),
  };
}

/** Every term that a plan asks about. */
export function termsOf({ whole, loose }: QueryPlan): string[] {
  return [...new Set([...whole, ...loose].flat(2))];
}

function wholeUnit(word: string): Unit {
  if (isAscii(word)) return [[wordTerm(word)]];
  return [substringTerms(word), ...asciiRunsOf(word).map((run) => [wordTerm(run)])];
}

function stemUnit(word: string, stems: WordStems, spoken: readonly string[]): Unit {
  return languages.flatMap((language, index) => {
    const stem = stems[index];
    if (!stem || !spoken.includes(language)) return [];
    // A word that equals its stem is stored as a word.
    return [[stemTerm(language, stem)], ...(isAscii(stem) && stem !== word ? [[wordTerm(stem)]] : [])];
  });
}

function segmentsOf(word: string): string[] {
  if (!unspaced.test(word)) return [];
  const segments = Array.from(segmenter.segment(word), ({ segment }) => segment);
  return segments.filter((segment) => segment !== word && !isAscii(segment) && telling.test(segment));
}
