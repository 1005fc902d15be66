/** Languages whose Snowball stemmer and stop words every PostgreSQL brings. */
export const languages = [
  'danish',
  'dutch',
  'english',
  'finnish',
  'french',
  'german',
  'hungarian',
  'italian',
  'norwegian',
  'portuguese',
  'russian',
  'spanish',
  'swedish',
  'turkish',
] as const;

export type Language = (typeof languages)[number];

/** A word's stem in each of `languages`, blank where it is a stop word. */
export type WordStems = readonly string[];

/**
 * The language of a text, by its stop words: that of most of them, the given one where none says otherwise. Short texts
 * often have none.
 */
export function detectLanguage(words: Iterable<WordStems>, otherwise: Language): Language {
  const hits = languages.map(() => 0);
  for (const stems of words)
    stems.forEach((stem, index) => void (hits[index] = (hits[index] ?? 0) + (stem === '' ? 1 : 0)));
  const most = Math.max(...hits);
  if (hits[languages.indexOf(otherwise)] === most) return otherwise;
  return languages[hits.indexOf(most)] ?? otherwise;
}
