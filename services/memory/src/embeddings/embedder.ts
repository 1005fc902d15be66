import type { EmbeddingConfig } from './settings.ts';
import { toUnit } from './vector.ts';

/** Turns texts into vectors of length 1. Texts of similar meaning have similar vectors. */
export interface Embedder {
  /** Id of comparable vectors: the model. */
  readonly name: string;
  /** Returns one vector for each text, undefined for a text without meaning. Throws EmbeddingFailure, or the reason of the signal. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<(Float32Array | undefined)[]>;
}

/** The embedding server failed. The message holds no text and no key, so it may be logged. */
export class EmbeddingFailure extends Error {
  /** True when the server refused these texts and would refuse them again. */
  readonly isRefusal: boolean;

  constructor(message: string, { isRefusal }: { readonly isRefusal: boolean }) {
    super(message);
    this.isRefusal = isRefusal;
  }
}

/** Characters of a text that are embedded: models read some 8,000 tokens at most. */
const mostCharacters = 6_000;

/** Asks an OpenAI-compatible server. */
export async function createEmbedder({ model, apiKey, baseUrl }: EmbeddingConfig): Promise<Embedder> {
  const [{ createOpenAICompatible }, { createBoundedFetch }] = await Promise.all([
    import('@ai-sdk/openai-compatible'),
    import('@agentmesh/lib/outbound'),
  ]);
  const provider = createOpenAICompatible({
    name: 'openai',
    baseURL: baseUrl,
    // Redirects are refused: they could lead to an address that the operator did not choose.
    fetch: createBoundedFetch((input, init) => fetch(input, { ...init, redirect: 'error' })),
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  const embedding = provider.embeddingModel(model);
  return {
    name: model,
    async embed(texts, abortSignal) {
      // Cutting a text may leave half a surrogate pair, and some servers refuse JSON with one.
      const values = texts.map((text) => text.slice(0, mostCharacters).toWellFormed());
      try {
        const { embeddings } = await embedding.doEmbed({ values, abortSignal });
        if (embeddings.length !== texts.length) throw new TypeError('another number of vectors than of texts');
        return embeddings.map(toUnit);
      } catch (error) {
        abortSignal.throwIfAborted();
        throw toFailure(error);
      }
    },
  };
}

const refusals = new Set([400, 413, 422]);

function toFailure(error: unknown): EmbeddingFailure {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status !== 'number') return new EmbeddingFailure('no answer that can be read', { isRefusal: false });
  return new EmbeddingFailure(`status ${status}`, { isRefusal: refusals.has(status) });
}
