import { closest, distance } from 'fastest-levenshtein';

/** Longest word that is compared: a longer one is not a typing error, and the time grows with the square of the length. */
const longestWord = 64;

/** Returns the one of `names` closest to `word`; undefined when more than a third of the characters differ. */
export function closestName(word: string, names: readonly string[]): string | undefined {
  if (word.length > longestWord || names.length === 0) return undefined;
  const wanted = word.toLowerCase();
  const found = closest(
    wanted,
    names.map((name) => name.toLowerCase()),
  );
  if (distance(wanted, found) > Math.ceil(word.length / 3)) return undefined;
  return names.find((name) => name.toLowerCase() === found);
}

/** ` Did you mean "x"?`, or nothing. */
export function suggest(word: string, names: readonly string[]): string {
  const name = closestName(word, names);
  return name === undefined ? '' : ` Did you mean "${name}"?`;
}
