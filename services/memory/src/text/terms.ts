import { createHash } from 'node:crypto';
import { asciiRunsOf, isAscii } from './words.ts';

/** Longest word that is a term itself, because index keys have a limit. */
const longestWord = 64;
const longestGram = 3;

/** Longest word, in characters, that its terms identify exactly. For longer words a match must be verified. */
export const exactSubstringLength = longestGram;

/** The term of a whole ASCII word. */
export function wordTerm(word: string): string {
  if (word.length <= longestWord) return `w:${word}`;
  return `h:${createHash('sha256').update(word).digest('base64url')}`;
}

/** The term of a stem in one language. */
export function stemTerm(language: string, stem: string): string {
  return `s:${language}:${stem}`;
}

/** Returns terms that an entry has if one of its non-ASCII words contains this text. */
export function substringTerms(text: string): string[] {
  const characters = Array.from(text);
  return gramsOf(characters, Math.min(characters.length, longestGram));
}

/** Stems of an entry's words in one language: blank for a stop word, undefined for a word without a stem. */
export interface Stems {
  readonly language: string;
  of(word: string): string | undefined;
}

/** Every term under which an entry of these words is found. */
export function entryTerms(words: Iterable<string>, stems: Stems): Set<string> {
  const terms = new Set<string>();
  for (const word of words) {
    if (isAscii(word)) terms.add(wordTerm(word));
    else addForeignWord(terms, word);
    const stem = stems.of(word);
    // A word that is its own stem is found as a word.
    if (stem && (stem !== word || !isAscii(word))) terms.add(stemTerm(stems.language, stem));
  }
  return terms;
}

function addForeignWord(terms: Set<string>, word: string): void {
  for (const run of asciiRunsOf(word)) terms.add(wordTerm(run));
  const characters = Array.from(word);
  for (let length = 1; length <= longestGram; length++) {
    for (const gram of gramsOf(characters, length)) terms.add(gram);
  }
}

function gramsOf(characters: readonly string[], length: number): string[] {
  const grams: string[] = [];
  for (let at = 0; at + length <= characters.length; at++)
    grams.push(`g:${characters.slice(at, at + length).join('')}`);
  return grams;
}
