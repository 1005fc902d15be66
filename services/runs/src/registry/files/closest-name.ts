import { closest, distance } from 'fastest-levenshtein';

/** Longer words are no slips of the pen, and comparing them takes time with the square of their length. */
const longestWord = 64;

/** The one of `names` that was most likely meant by `word`; undefined when none is close: at most a third of it may differ. */
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
