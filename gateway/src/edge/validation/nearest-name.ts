import { distance } from 'fastest-levenshtein';

/** Longest and shortest words that are compared. */
const [longest, shortest] = [64, 3];

/** The name that a word may have been meant to be: it holds the word, or at most a third of the characters differ. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  if (word.length > longest || word.length < shortest) return undefined;
  const wanted = plain(word);
  let [found, least]: [string | undefined, number] = [undefined, Math.ceil(word.length / 3) + 1];
  for (const name of names) {
    const known = plain(name);
    const far = known.endsWith(wanted) ? 0 : distance(wanted, known);
    if (far < least) [found, least] = [name, far];
  }
  return found;
}

/** Without what spellings differ in. */
function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}
