import { defineTask, type Handler } from '@agentmesh/lib/jobs';
import type { Database } from '@agentmesh/lib/pg';
import { type Embedder, EmbeddingFailure } from '../embeddings/embedder.ts';
import { selectModel, selectUnembedded, type Unembedded } from '../store/unembedded.ts';
import { insertVectors } from '../store/vectors.ts';
import { contentText } from '../text/content-text.ts';

/** Entries of one memory that are to be embedded, `mostInBatch` at most: as many as the model is asked about in one call. */
export interface EntryBatch {
  readonly accountId: string;
  /** A bigint, as text. */
  readonly partitionPk: string;
  readonly places: readonly number[];
}

export const mostInBatch = 64;

/** Retried for ever: while the embedding server is away, search works by words. */
export const embedEntries = defineTask<EntryBatch>({
  name: 'embed-entries',
  read: readBatch,
  retrySeconds: [4, 15, 60],
  timeoutSeconds: 30,
  atOnce: 2,
  pollSeconds: 8,
});

function readBatch(payload: unknown): EntryBatch {
  const { accountId, partitionPk, places } = payload as Partial<EntryBatch>;
  if (typeof accountId !== 'string' || typeof partitionPk !== 'string' || !Array.isArray(places)) {
    throw new TypeError('not a batch of entries');
  }
  return { accountId, partitionPk, places };
}

interface EmbedParts {
  readonly db: Database;
  readonly embedder: Embedder;
}

/**
 * Embeds the entries of a batch that still exist and have no vector of the model yet. Rejects when a process that started later has set
 * another model: the job is then left to that process.
 */
export function embedBatch({ db, embedder }: EmbedParts): Handler<EntryBatch> {
  return async (batch, { signal }) => {
    if ((await selectModel(db)) !== embedder.name) {
      throw new Error('another embedding model has been set since this process started');
    }
    const embedded = { ...batch, model: embedder.name };
    const entries = await selectUnembedded(db, embedded);
    const texts = entries
      .map((entry) => ({ ...entry, text: contentText(entry.contentJson) }))
      .filter(({ text }) => text.trim() !== '');
    for await (const some of embedEach(embedder, texts, signal)) await insertVectors(db, embedded, some);
  };
}

type Text = Unembedded & { readonly text: string };
type Embedded = Text & { readonly vector: Float32Array };

/**
 * Embeds all texts in one call. When the server refuses one of them, sends them one by one and leaves out those that it refuses: each is answered at once, because a slow
 * server may take longer for all than an attempt has.
 */
async function* embedEach(embedder: Embedder, texts: readonly Text[], signal: AbortSignal): AsyncGenerator<Embedded[]> {
  if (texts.length === 0) return;
  try {
    const vectors = await embedder.embed(
      texts.map(({ text }) => text),
      signal,
    );
    yield texts.flatMap((one, index) => withVector(one, vectors[index]));
  } catch (error) {
    if (!(error instanceof EmbeddingFailure) || !error.isRefusal) throw error;
    if (texts.length === 1) return;
    for (const one of texts) yield* embedEach(embedder, [one], signal);
  }
}

function withVector(text: Text, vector: Float32Array | undefined): Embedded[] {
  return vector === undefined ? [] : [{ ...text, vector }];
}
