import { asciiRunsOf, isAscii, wordsOf } from './words.ts';

/**
 * How many of a query's words a text has: the rule that the index answers for many texts at once. A word matches as a
 * whole; one with characters beyond ASCII also inside another word, and by its ASCII runs.
 */
export function countMatches(query: Iterable<string>, text: string): number {
  const words = wordsOf(text);
  const foreign = [...words].filter((word) => !isAscii(word));
  for (const run of foreign.flatMap(asciiRunsOf)) words.add(run);
  const matches = (word: string): boolean =>
    isAscii(word)
      ? words.has(word)
      : foreign.some((other) => other.includes(word)) || asciiRunsOf(word).some((run) => words.has(run));
  let count = 0;
  for (const word of query) if (matches(word)) count += 1;
  return count;
}
