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
    ...(isVendor(baseUrl) ? { transformRequestBody: renameTokenLimit } : {}),
  });
  return new AiSdkLlm({
    model: name,
    languageModel: provider.chatModel(model),
    timeoutMs: config.timeoutMs,
    secrets: apiKey === undefined ? [] : [apiKey],
    // An agent's schema seldom meets the rules of strict mode (every property required, no others).
    providerOptions: { openaiCompatible: { strictJsonSchema: false } },
    ...deps,
  });
}

function isVendor(baseUrl: string): boolean {
  return URL.parse(baseUrl)?.hostname === 'api.openai.com';
}

/** The vendor's reasoning models refuse `max_tokens`; compatible servers know only that. */
function renameTokenLimit({ max_tokens: limit, ...body }: Record<string, unknown>): Record<string, unknown> {
  return limit === undefined ? body : { ...body, max_completion_tokens: limit };
}
