import type { EmbeddingConfig } from './settings.ts';
import { toUnit } from './vector.ts';

/** Turns texts into vectors of length 1 whose nearness is nearness of meaning. */
export interface Embedder {
  /** Names the vectors that can be compared: model and dimensions. */
  readonly name: string;
  /** One for each text, undefined for one without meaning. Throws EmbeddingFailure, or the reason of the signal. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<(Float32Array | undefined)[]>;
}

/** The server of the model failed; the message is fit for the log: it repeats no text and no key. */
export class EmbeddingFailure extends Error {
  /** Whether these very texts were refused, so that they will be again. */
  readonly isRefusal: boolean;

  constructor(message: string, { isRefusal }: { readonly isRefusal: boolean }) {
    super(message);
    this.isRefusal = isRefusal;
  }
}

/** Characters of a text that are embedded: models read some 8,000 tokens at most. */
const mostCharacters = 6_000;

/** Asks an OpenAI-compatible server. */
export async function createEmbedder({ model, dimensions, apiKey, baseUrl }: EmbeddingConfig): Promise<Embedder> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const provider = createOpenAICompatible({
    name: 'openai',
    baseURL: baseUrl,
    // The address is the operator's; where it sends us is not.
    fetch: (input, init) => fetch(input, { ...init, redirect: 'error' }),
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  const embedding = provider.embeddingModel(model);
  const providerOptions = dimensions === undefined ? {} : { openaiCompatible: { dimensions } };
  return {
    name: dimensions === undefined ? model : `${model}/${dimensions}`,
    async embed(texts, abortSignal) {
      // A character cut in two is no text for a JSON parser of theirs.
      const values = texts.map((text) => text.slice(0, mostCharacters).toWellFormed());
      try {
        const { embeddings } = await embedding.doEmbed({ values, abortSignal, providerOptions });
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
