import { num, str } from 'envalid';
import type { ModelsConfig } from './models.ts';

/** The settings of the models, to be spread into those of the service. */
export const modelSettings = {
  OPENAI_API_KEY: str({ default: '', desc: 'key of provider openai; local servers may need none' }),
  OPENAI_BASE_URL: str({ default: 'https://api.openai.com/v1', desc: 'where provider openai is asked, with /v1' }),
  RUNS_MODEL_TIMEOUT_SECONDS: num({ default: 120, desc: 'how long a model may be silent' }),
};

/** The models' configuration from the service's cleaned settings. */
export function readModelsConfig(settings: {
  readonly OPENAI_API_KEY: string;
  readonly OPENAI_BASE_URL: string;
  readonly RUNS_MODEL_TIMEOUT_SECONDS: number;
}): ModelsConfig {
  const apiKey = settings.OPENAI_API_KEY.trim();
  return {
    openai: { baseUrl: settings.OPENAI_BASE_URL.replace(/\/+$/, ''), ...(apiKey === '' ? {} : { apiKey }) },
    timeoutMs: settings.RUNS_MODEL_TIMEOUT_SECONDS * 1000,
  };
}
