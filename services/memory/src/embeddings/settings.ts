import { httpUrl, part, text } from '@agentmesh/lib/service';
import { EnvError, makeValidator } from 'envalid';

const embeddingModel = makeValidator<string>((input) => {
  const model = /^openai\/(\S+)$/.exec(input.trim())?.[1];
  if (model === undefined) throw new EnvError('must be named openai/<model>, of any OpenAI-compatible server');
  return model;
});

/** The settings of embeddings, to be spread into those of the service. */
export const embeddingSettings = {
  /** The model without its provider. */
  MEMORY_EMBEDDING_MODEL: embeddingModel({ default: undefined, desc: 'unset: search is by words alone' }),
  MEMORY_EMBEDDING_MIN_SIMILARITY: part({ default: 0.3 }),
  OPENAI_API_KEY: text({ default: undefined, desc: 'key of provider openai; local servers may need none' }),
  OPENAI_BASE_URL: httpUrl({ default: 'https://api.openai.com/v1', desc: 'where provider openai is asked, with /v1' }),
};

export interface EmbeddingConfig {
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly baseUrl: string;
}

/** The embedding model and its server; undefined when no model is set. */
export function readEmbeddingConfig(settings: {
  readonly MEMORY_EMBEDDING_MODEL: string | undefined;
  readonly OPENAI_API_KEY: string | undefined;
  readonly OPENAI_BASE_URL: string;
}): EmbeddingConfig | undefined {
  const model = settings.MEMORY_EMBEDDING_MODEL;
  if (model === undefined) return undefined;
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = settings;
  return { model, apiKey, baseUrl };
}
