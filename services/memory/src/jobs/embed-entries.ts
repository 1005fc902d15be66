import type { Database } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import { type Embedder, EmbeddingFailure } from '../embeddings/embedder.ts';
import { dropUnembedded, postponeUnembedded, takeUnembedded, type Unembedded } from '../store/unembedded.ts';
import { insertVectors } from '../store/vectors.ts';
import { contentText } from '../text/content-text.ts';

export interface EmbeddingJob extends AsyncDisposable {
  /** Says that entries are waiting. */
  wake(): void;
}

interface JobParts {
  readonly db: Database;
  readonly embedder: Embedder;
  readonly log: Logger;
  readonly draining: AbortSignal;
}

const batch = 64;
const timeoutMs = 30_000;
/** Also without being woken: what another process was given and lost is due some time. */
const pauseMs = 3_000;
const postponedSeconds = 4;

/** Embeds what waits for it until the process drains. What a process leaves undone, the next one does. */
export function startEmbedding({ db, embedder, log, draining }: JobParts): EmbeddingJob {
  let wake = (): void => undefined;
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, pauseMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  draining.addEventListener('abort', () => wake(), { once: true });
  let failing = false;
  const round = async (): Promise<number> => {
    try {
      const done = await embedBatch({ db, embedder, draining });
      if (done > 0) failing = false;
      return done;
    } catch (err) {
      if (!failing && !draining.aborted) log.warn({ err }, 'entries cannot be embedded, search goes on by words');
      failing = true;
      return 0;
    }
  };
  const loop = (async () => {
    while (!draining.aborted) if ((await round()) === 0 && !draining.aborted) await pause();
  })();
  return { wake: () => wake(), [Symbol.asyncDispose]: () => loop };
}

/** Embeds some of what is due; how many that was. */
export async function embedBatch({ db, embedder, draining }: Omit<JobParts, 'log'>): Promise<number> {
  const taken = await takeUnembedded(db, batch);
  const texts = taken.map((entry) => ({ ...entry, text: textOf(entry) })).filter(({ text }) => text.trim() !== '');
  try {
    const signal = AbortSignal.any([draining, AbortSignal.timeout(timeoutMs)]);
    for (const some of await embedEach(embedder, texts, signal)) await insertVectors(db, embedder.name, some);
  } catch (error) {
    await postponeUnembedded(db, taken, postponedSeconds);
    throw error;
  }
  if (taken.length > 0) await dropUnembedded(db, taken);
  return taken.length;
}

type Text = Unembedded & { readonly text: string };
type Embedded = Text & { readonly vector: Float32Array };

/** In one call, or where the server refuses one of the texts, one by one without those that it refuses. */
async function embedEach(embedder: Embedder, texts: readonly Text[], signal: AbortSignal): Promise<Embedded[][]> {
  if (texts.length === 0) return [];
  try {
    const vectors = await embedder.embed(
      texts.map(({ text }) => text),
      signal,
    );
    return [texts.flatMap((one, index) => withVector(one, vectors[index]))];
  } catch (error) {
    if (!(error instanceof EmbeddingFailure) || !error.isRefusal) throw error;
    if (texts.length === 1) return [];
    const parts: Embedded[][] = [];
    for (const one of texts) parts.push(...(await embedEach(embedder, [one], signal)));
    return parts;
  }
}

function withVector(text: Text, vector: Float32Array | undefined): Embedded[] {
  return vector === undefined ? [] : [{ ...text, vector }];
}

function textOf({ contentJson }: Unembedded): string {
  return contentJson === undefined ? '' : contentText(contentJson);
}
