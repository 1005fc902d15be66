import type { Transaction } from '@agentmesh/lib/pg';
import type { StoredEntry } from '../store/entries.ts';
import type { Partition } from '../store/partitions.ts';
import { collectPostings } from '../store/postings.ts';
import { removeVectors } from '../store/vectors.ts';
import { contentText } from '../text/content-text.ts';
import { languages, type WordStems } from '../text/languages.ts';
import type { Lexicon } from '../text/lexicon.ts';
import { entryTerms, type Stems } from '../text/terms.ts';
import { wordsOf } from '../text/words.ts';

/** Stems of one language out of those of all. */
export function stemsIn(language: string, known: ReadonlyMap<string, WordStems>): Stems {
  const index = languages.findIndex((one) => one === language);
  return { language, of: (word) => known.get(word)?.[index] };
}

/** Takes what entries leave behind that are gone: no word of theirs stays, and nothing of what they mean. */
export async function removeTraces(
  tx: Transaction,
  partition: Partition,
  { entries, lexicon }: { readonly entries: readonly StoredEntry[]; readonly lexicon: Lexicon },
): Promise<void> {
  const texts = entries.map((entry) => ({ entry, text: contentText(entry.contentJson) }));
  const known = await lexicon.stemsOf(wordsOfAll(texts));
  const gone = collectPostings(partition, { remove: true });
  for (const { entry, text } of texts) gone.add(entry.place, entryTerms(text, stemsIn(entry.language, known)));
  await gone.flush(tx);
  await removeVectors(
    tx,
    partition,
    entries.map(({ place }) => place),
  );
}

export function* wordsOfAll(texts: Iterable<{ readonly text: string }>): Generator<string> {
  for (const { text } of texts) yield* wordsOf(text);
}
