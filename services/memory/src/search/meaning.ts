import type { Database } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import { type Embedder, EmbeddingFailure } from '../embeddings/embedder.ts';
import { similarity } from '../embeddings/vector.ts';
import type { Partition } from '../store/partitions.ts';
import { selectNearestVectors } from '../store/vectors.ts';

/** Finds entries by meaning. */
export interface Meaning {
  /** Returns places of the entries nearest to the query, nearest first. Empty while the model is unavailable. */
  rank(partition: Partition, query: string): Promise<number[]>;
}

interface MeaningParts {
  readonly db: Database;
  readonly embedder: Embedder;
  readonly log: Logger;
  /** Lowest cosine similarity of a result, from 0 to 1. */
  readonly minSimilarity: number;
}

const timeoutMs = 2_000;
/** Time after a failure during which searches do not call the model. */
const restMs = 5_000;
/** Number of vectors compared exactly: those with the fewest different signs. */
const compared = 256;
const most = 50;

export function createMeaning({ db, embedder, log, minSimilarity }: MeaningParts): Meaning {
  let restsUntil = 0;
  const embedQuery = async (query: string): Promise<Float32Array | undefined> => {
    if (query.trim() === '' || performance.now() < restsUntil) return undefined;
    try {
      const [vector] = await embedder.embed([query], AbortSignal.timeout(timeoutMs));
      restsUntil = 0;
      return vector;
    } catch (err) {
      // The server is well and would refuse this text again: searches of others go on.
      if (err instanceof EmbeddingFailure && err.isRefusal) return undefined;
      if (restsUntil === 0) log.warn({ err }, 'a query cannot be embedded, search goes on by words');
      restsUntil = performance.now() + restMs;
      return undefined;
    }
  };
  return {
    async rank(partition, query) {
      const asked = await embedQuery(query);
      if (asked === undefined) return [];
      const near = await selectNearestVectors(db, partition, { model: embedder.name, vector: asked, limit: compared });
      return near
        .map(({ place, vector }) => ({ place, score: similarity(asked, vector) }))
        .filter(({ score }) => score >= minSimilarity)
        .toSorted((a, b) => b.score - a.score || a.place - b.place)
        .slice(0, most)
        .map(({ place }) => place);
    },
  };
}
