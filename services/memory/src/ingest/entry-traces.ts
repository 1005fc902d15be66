import type { Transaction } from '@agentmesh/lib/pg';
import type { StoredEntry } from '../store/entries.ts';
import type { Partition } from '../store/partitions.ts';
import { collectPostings } from '../store/postings.ts';
import { deleteVectors } from '../store/vectors.ts';
import { languages, type WordStems } from '../text/languages.ts';
import type { Lexicon } from '../text/lexicon.ts';
import { entryTerms, type Stems } from '../text/terms.ts';
import { readTexts } from './entry-texts.ts';

/** Postings that are held in memory before they are written. */
const mostHeld = 50_000;

/** Stems of one language, out of stems of all languages. */
export function stemsIn(language: string, known: ReadonlyMap<string, WordStems>): Stems {
  const index = languages.findIndex((one) => one === language);
  return { language, of: (word) => known.get(word)?.[index] };
}

/** Deletes the postings and vectors of entries that were deleted. */
export async function removeTraces(
  tx: Transaction,
  partition: Partition,
  { entries, lexicon }: { readonly entries: readonly StoredEntry[]; readonly lexicon: Lexicon },
): Promise<void> {
  const gone = collectPostings(partition, { remove: true });
  for await (const { entry, words, known } of readTexts(entries, lexicon)) {
    gone.add(entry.place, entryTerms(words, stemsIn(entry.language, known)));
    if (gone.size > mostHeld) await gone.flush(tx);
  }
  await gone.flush(tx);
  await deleteVectors(
    tx,
    partition,
    entries.map(({ place }) => place),
  );
}
