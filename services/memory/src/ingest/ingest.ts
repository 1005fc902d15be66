import type { Transaction } from '@agentmesh/lib/pg';
import type { StoredEvent } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { insertEntries, presentIds, type StoredEntry } from '../store/entries.ts';
import { type Partition, savePartition } from '../store/partitions.ts';
import { collectPostings, type PostingChanges } from '../store/postings.ts';
import { enqueueEntries } from '../store/unembedded.ts';
import { contentText } from '../text/content-text.ts';
import { detectLanguage, type WordStems } from '../text/languages.ts';
import { entryTerms } from '../text/terms.ts';
import { wordsOf } from '../text/words.ts';
import { stemsIn, wordsOfAll } from './entry-traces.ts';
import { readEvent, type Remembered } from './read-event.ts';

/** Postings that are held in memory before they are written. */
const mostHeld = 150_000;

export interface Ingest {
  /** Puts in the events that are not there yet. */
  addPage(events: readonly StoredEvent[]): Promise<void>;
  /** Writes what is held back; how many entries were put in. */
  finish(): Promise<number>;
}

export interface IngestOptions {
  readonly tx: Transaction;
  /** Locked by the transaction. */
  readonly partition: Partition;
  readonly sessionId: string;
}

type IngestContext = Pick<Context, 'lexicon' | 'defaultLanguage' | 'embedding'>;

/** Puts the pages of a session's events into a memory, holding no more than one page and a part of the postings. */
export function startIngest(context: IngestContext, options: IngestOptions): Ingest {
  const { tx, partition } = options;
  const postings = collectPostings(partition, { remove: false });
  const spoken = new Set(partition.languages);
  let place = partition.nextPlace;
  return {
    async addPage(events) {
      const fresh = await freshEntries(options, events);
      const texts = fresh.map((entry) => ({ entry, text: contentText(entry.contentJson) }));
      const known = await context.lexicon.stemsOf(wordsOfAll(texts));
      const entries = texts.map(({ entry, text }) => {
        const language = languageOf(text, known, context);
        if (text !== '') spoken.add(language);
        return index(postings, { ...entry, place: place++, language }, { text, known });
      });
      if (entries.length > 0) await insertEntries(tx, partition, entries);
      if (context.embedding !== undefined) await enqueueEntries(tx, partition, placesWithText(entries));
      if (postings.size > mostHeld) await postings.flush(tx);
    },
    async finish() {
      await postings.flush(tx);
      const added = place - partition.nextPlace;
      if (added > 0) await savePartition(tx, { ...partition, nextPlace: place, languages: [...spoken] });
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
  const present = await presentIds(tx, partition, [...byId.keys()]);
  return [...byId.values()].filter(({ id }) => !present.has(id));
}

function placesWithText(entries: readonly StoredEntry[]): number[] {
  return entries.filter(({ contentJson }) => contentText(contentJson) !== '').map(({ place }) => place);
}

function languageOf(
  text: string,
  known: ReadonlyMap<string, WordStems>,
  { defaultLanguage }: Pick<Context, 'defaultLanguage'>,
): string {
  const stems = Array.from(wordsOf(text), (word) => known.get(word)).filter((one) => one !== undefined);
  return detectLanguage(stems, defaultLanguage);
}

function index(
  postings: PostingChanges,
  entry: StoredEntry,
  { text, known }: { readonly text: string; readonly known: ReadonlyMap<string, WordStems> },
): StoredEntry {
  postings.add(entry.place, entryTerms(text, stemsIn(entry.language, known)));
  return entry;
}
