import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4CallOptions, SharedV4ProviderMetadata, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { GenerateContentConfig } from '@google/genai';
import type { Connection } from '../ai-sdk/connection.ts';
import type { Dialect } from '../ai-sdk/dialect.ts';
import { toFinish } from '../ai-sdk/to-finish.ts';
import { toUsageMetadata } from '../ai-sdk/to-usage-metadata.ts';
import type { Endpoint } from '../endpoint.ts';
import { requireKey } from './require-key.ts';
import { toReasoning } from './to-reasoning.ts';
import { keepSignature, recallSignature } from './thought-signature.ts';
import { compatibleModel } from './compatible-model.ts';
import { createVendorFetch } from './vendor-fetch.ts';

/**
 * A model behind `POST {base}/responses` where the endpoint says so, else behind `POST {base}/chat/completions`: OpenAI's
 * own, whose reasoning models have rules of their own, or one of a server that is compatible with them.
 */
export function connectOpenAi(model: string, endpoint: Endpoint): Connection {
  if (endpoint.openAiApi === 'responses') return connectResponses(model, endpoint);
  return isVendor(endpoint.baseUrl) ? connectOwn(model, endpoint) : connectCompatible(model, endpoint);
}

function connectOwn(model: string, endpoint: Endpoint): Connection {
  const { baseUrl, apiKey } = endpoint;
  const key = requireKey(apiKey, 'OPENAI_API_KEY');
  const provider = createOpenAI({ baseURL: baseUrl, apiKey: key, fetch: createVendorFetch(endpoint) });
  return { languageModel: provider.chat(model), dialect, secrets: [key] };
}

function connectResponses(model: string, endpoint: Endpoint): Connection {
  const { baseUrl, apiKey } = endpoint;
  // A server that needs no key is sent "none": without one the SDK would take a key from the environment.
  const key = isVendor(baseUrl) ? requireKey(apiKey, 'OPENAI_API_KEY') : (apiKey ?? 'none');
  const provider = createOpenAI({ baseURL: baseUrl, apiKey: key, fetch: createVendorFetch(endpoint) });
  return { languageModel: provider.responses(model), dialect: responsesDialect, secrets: [key] };
}

function connectCompatible(model: string, endpoint: Endpoint): Connection {
  const { apiKey } = endpoint;
  return { languageModel: compatibleModel(model, endpoint), dialect, secrets: apiKey === undefined ? [] : [apiKey] };
}

/** The request and answer forms of chat completions. */
const dialect: Dialect = {
  files: {
    text: 'text',
    link: ({ protocol }, mediaType) => /^https?:$/.test(protocol) && mediaType.startsWith('image/'),
    inAnswers: false,
  },
  userFirst: false,
  callId: /^.+$/s,
  options,
  readSignature: () => undefined,
  writeSignature: () => undefined,
  finish: toFinish,
  usage: toUsageMetadata,
};

const responsesDialect: Dialect = {
  ...dialect,
  files: { ...dialect.files, inAnswers: true },
  options: responsesOptions,
  readSignature,
  writeSignature,
};

/** The encrypted thoughts of the model. OpenAI does not store them (`store: false`), so they are kept in the event. */
function readSignature({ openai }: SharedV4ProviderMetadata): string | undefined {
  const { itemId, reasoningEncryptedContent: sealed } = openai ?? {};
  if (typeof itemId !== 'string' || typeof sealed !== 'string') return undefined;
  return keepSignature('openai', `${itemId} ${sealed}`);
}

function writeSignature(thoughtSignature: string): SharedV4ProviderOptions | undefined {
  const { kind, signature } = recallSignature(thoughtSignature);
  const [itemId = '', reasoningEncryptedContent = ''] = signature.split(' ');
  return kind === 'openai' ? { openai: { itemId, reasoningEncryptedContent } } : undefined;
}

function responsesOptions(config: GenerateContentConfig): Partial<LanguageModelV4CallOptions> {
  const reasoningSummary = config.thinkingConfig?.includeThoughts === true ? 'auto' : null;
  const openai = { strictJsonSchema: false, store: false, reasoningSummary };
  return { ...options(config), providerOptions: { openai } };
}

function options({ thinkingConfig }: GenerateContentConfig): Partial<LanguageModelV4CallOptions> {
  const reasoning = toReasoning(thinkingConfig);
  return {
    // An agent's schema seldom meets the rules of strict mode (every property required, no others).
    providerOptions: { openai: { strictJsonSchema: false }, openaiCompatible: { strictJsonSchema: false } },
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

function isVendor(baseUrl: string): boolean {
  return URL.parse(baseUrl)?.hostname === 'api.openai.com';
}
