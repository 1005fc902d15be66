import type { Transaction } from '@agentmesh/lib/pg';
import type { StoredEvent } from '@agentmesh/proto/sessions/v1';
import { insertEntries, selectPresentIds, type StoredEntry } from '../store/entries.ts';
import { type Partition, updatePartition } from '../store/partitions.ts';
import { collectPostings } from '../store/postings.ts';
import { detectLanguage, type Language, type WordStems } from '../text/languages.ts';
import type { Lexicon } from '../text/lexicon.ts';
import { entryTerms } from '../text/terms.ts';
import { readTexts } from './entry-texts.ts';
import { stemsIn } from './entry-traces.ts';
import { readEvent, type Remembered } from './read-event.ts';

/** Postings that are held in memory before they are written. */
const mostHeld = 50_000;

export interface Ingest {
  /** Adds the events that are not entries yet. */
  addPage(events: readonly StoredEvent[]): Promise<void>;
  /** Writes the remaining postings. Answers how many entries were added. */
  finish(): Promise<number>;
}

export interface IngestOptions {
  readonly tx: Transaction;
  /** Locked by the transaction. */
  readonly partition: Partition;
  readonly sessionId: string;
}

/** Adds jobs that embed entries. */
export interface EmbedJobs {
  /** Adds the jobs in the transaction. */
  enqueue(tx: Transaction, partition: Partition, places: readonly number[]): Promise<void>;
}

/** Surroundings of the sessions that are added. */
export interface IngestContext {
  readonly lexicon: Lexicon;
  /** The language of texts without stop words of a known one. */
  readonly defaultLanguage: Language;
  /** Present when an embedding model is set. */
  readonly embedding?: EmbedJobs;
}

/** Adds the pages of a session's events to a memory. Holds one page and some of the postings in memory. */
export function startIngest(context: IngestContext, options: IngestOptions): Ingest {
  const { tx, partition } = options;
  const postings = collectPostings(partition, { remove: false });
  const languages = new Set(partition.languages);
  let place = partition.nextPlace;
  return {
    async addPage(events) {
      const entries: StoredEntry[] = [];
      const worded: number[] = [];
      for await (const { entry, text, words, known } of readTexts(
        await freshEntries(options, events),
        context.lexicon,
      )) {
        const language = languageOf(words, known, context);
        if (words.size > 0) languages.add(language);
        if (text.trim() !== '') worded.push(place);
        postings.add(place, entryTerms(words, stemsIn(language, known)));
        if (postings.size > mostHeld) await postings.flush(tx);
        entries.push({ ...entry, place: place++, language });
      }
      if (entries.length > 0) await insertEntries(tx, partition, entries);
      await context.embedding?.enqueue(tx, partition, worded);
    },
    async finish() {
      await postings.flush(tx);
      const added = place - partition.nextPlace;
      if (added > 0) await updatePartition(tx, { ...partition, nextPlace: place, languages: [...languages] });
      return added;
    },
  };
}

/** Each event once, by its id, and not those that are entries already. */
async function freshEntries(
  { tx, partition, sessionId }: IngestOptions,
  events: readonly StoredEvent[],
): Promise<Remembered[]> {
  const byId = new Map<string, Remembered>();
  for (const event of events) {
    const entry = readEvent(sessionId, event);
    if (entry !== undefined && !byId.has(entry.id)) byId.set(entry.id, entry);
  }
  const present = await selectPresentIds(tx, partition, [...byId.keys()]);
  return [...byId.values()].filter(({ id }) => !present.has(id));
}

function languageOf(
  words: Iterable<string>,
  known: ReadonlyMap<string, WordStems>,
  { defaultLanguage }: Pick<IngestContext, 'defaultLanguage'>,
): string {
  const stems = Array.from(words, (word) => known.get(word)).filter((one) => one !== undefined);
  return detectLanguage(stems, defaultLanguage);
}
