import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { AiSdkLlm } from './ai-sdk/ai-sdk-llm.ts';
import type { ModelsConfig, ModelsDeps } from './models.ts';

/** One model of an OpenAI-compatible server. */
export interface OpenAiModel {
  /** As the app names it, e.g. `openai/gpt-5-mini`. */
  readonly name: string;
  /** As the server names it, e.g. `gpt-5-mini`. */
  readonly model: string;
  readonly config: ModelsConfig;
  readonly deps: ModelsDeps;
}

/** A model behind `POST {base}/chat/completions`. */
export function createOpenAiLlm({ name, model, config, deps }: OpenAiModel): AiSdkLlm {
  const { baseUrl, apiKey } = config.openai;
  const provider = createOpenAICompatible({
    name: 'openai',
    baseURL: baseUrl,
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  return new AiSdkLlm({
    model: name,
    languageModel: provider.chatModel(model),
    timeoutMs: config.timeoutMs,
    secrets: apiKey === undefined ? [] : [apiKey],
    ...deps,
  });
}
