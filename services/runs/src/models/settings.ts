import { httpUrl, positiveInteger, text } from '@agentmesh/lib/service';
import type { ModelsConfig } from './models.ts';

/** The settings of the models, to be spread into those of the service. */
export const modelSettings = {
  OPENAI_API_KEY: text({ default: undefined, desc: 'key of provider openai; local servers may need none' }),
  OPENAI_BASE_URL: httpUrl({ default: 'https://api.openai.com/v1', desc: 'where provider openai is asked, with /v1' }),
  RUNS_MODEL_TIMEOUT_SECONDS: positiveInteger({ default: 120, desc: 'how long a model may be silent, at most 300' }),
};

/** The models' configuration from the service's cleaned settings. */
export function readModelsConfig(settings: {
  readonly OPENAI_API_KEY: string | undefined;
  readonly OPENAI_BASE_URL: string;
  readonly RUNS_MODEL_TIMEOUT_SECONDS: number;
}): ModelsConfig {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = settings;
  return {
    openai: { baseUrl, ...(apiKey === undefined ? {} : { apiKey }) },
    timeoutMs: settings.RUNS_MODEL_TIMEOUT_SECONDS * 1000,
  };
}
