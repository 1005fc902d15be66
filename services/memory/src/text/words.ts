/** Characters of an entry that search reads. The rest is stored but not found. */
const maxIndexedCharacters = 32_768;

const wordPattern = /[\p{L}\p{N}\p{M}_]+/gu;
const asciiPattern = /[a-z0-9_]+/g;
const notAscii = /[^\0-\x7f]/;

/**
 * The distinct words of a text in order: runs of letters, digits and underscore of any script, in lower case. Compatibility
 * forms (full width, ligatures) are taken for what they stand for. A part of a surrogate pair or a NUL ends a word.
 */
export function wordsOf(text: string): Set<string> {
  return new Set(normalize(text).match(wordPattern));
}

/** Whether a word has no character beyond ASCII; one that has may match inside other words. */
export function isAscii(word: string): boolean {
  return !notAscii.test(word);
}

/** The ASCII runs of a word of several scripts, e.g. `python` of `python入門`. */
export function asciiRunsOf(word: string): string[] {
  return word.match(asciiPattern) ?? [];
}

function normalize(text: string): string {
  const lower = text.slice(0, maxIndexedCharacters).normalize('NFKC').toLowerCase();
  // Two letters whose lower case depends on the position, or has a combining dot that nobody types.
  return lower.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i');
}
