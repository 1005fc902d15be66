import type { Queryable, Statement } from '@agentmesh/lib/pg';
import { languages, type WordStems } from './languages.ts';

/** Stems of words in all languages at once, as PostgreSQL's dictionaries make them. */
export interface Lexicon {
  /** Words that are no words of a language (digits, very long ones) are absent from the answer. */
  stemsOf(words: Iterable<string>): Promise<ReadonlyMap<string, WordStems>>;
}

const stemmable = /^[\p{L}\p{M}]{1,64}$/u;
const mostRemembered = 20_000;
const separator = '\n';

const lexize: Statement = {
  name: 'lexize',
  text: `select w.word, array_to_string(array(
      select coalesce((ts_lexize(d.name::regdictionary, w.word))[1], '')
      from unnest($2::text[]) with ordinality d(name, n) order by n
    ), e'\\n') as stems from unnest($1::text[]) w(word)`,
};
const dictionaries = languages.map((language) => `pg_catalog.${language}_stem`);

/** Caches the words of recent calls. */
export function createLexicon(db: Queryable): Lexicon {
  const remembered = new Map<string, string>();
  const remember = (word: string, stems: string): void => {
    const oldest = remembered.size < mostRemembered ? undefined : remembered.keys().next().value;
    if (oldest !== undefined) remembered.delete(oldest);
    remembered.set(word, stems);
  };
  return {
    async stemsOf(words) {
      const found = new Map<string, WordStems>();
      const unknown: string[] = [];
      for (const word of new Set(words)) {
        const stems = remembered.get(word);
        if (stems !== undefined) found.set(word, stems.split(separator));
        else if (stemmable.test(word)) unknown.push(word);
      }
      if (unknown.length === 0) return found;
      for (const row of await db.query<{ word: string; stems: string }>(lexize, [unknown, dictionaries])) {
        remember(row.word, row.stems);
        found.set(row.word, row.stems.split(separator));
      }
      return found;
    },
  };
}
