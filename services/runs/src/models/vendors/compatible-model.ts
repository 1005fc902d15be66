import { AsyncLocalStorage } from 'node:async_hooks';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { LRUCache } from 'lru-cache';
import type { Endpoint } from '../endpoint.ts';
import { createVendorFetch } from './vendor-fetch.ts';

/** The endpoint of the present call. */
const calls = new AsyncLocalStorage<Endpoint>();
/** Models by address and name, without keys. The SDK builds the schemas of answers for each model that is made, which takes longer than the rest of the call. */
const kept = new LRUCache<string, LanguageModelV4>({ max: 100 });

/** A model of a server that is compatible with OpenAI's. It is kept for further calls of the address, whose key, account and fetch are those of each call. */
export function compatibleModel(model: string, endpoint: Endpoint): LanguageModelV4 {
  const shared = keptModel(model, endpoint.baseUrl);
  const { apiKey } = endpoint;
  const own = apiKey === undefined ? undefined : { Authorization: `Bearer ${apiKey}` };
  const withKey = (options: LanguageModelV4CallOptions): LanguageModelV4CallOptions =>
    own === undefined ? options : { ...options, headers: { ...own, ...options.headers } };
  return {
    specificationVersion: shared.specificationVersion,
    provider: shared.provider,
    modelId: shared.modelId,
    supportedUrls: shared.supportedUrls,
    doGenerate: (options) => calls.run(endpoint, () => shared.doGenerate(withKey(options))),
    doStream: (options) => calls.run(endpoint, () => shared.doStream(withKey(options))),
  };
}

function keptModel(model: string, baseURL: string): LanguageModelV4 {
  const name = JSON.stringify([baseURL, model]);
  const known = kept.get(name);
  if (known !== undefined) return known;
  const provider = createOpenAICompatible({
    name: 'openai',
    baseURL,
    includeUsage: true,
    supportsStructuredOutputs: true,
    fetch: (input, init) => {
      const send = createVendorFetch(presentEndpoint());
      // A connection that is kept for other calls would keep the endpoint of the one that opened it.
      return calls.exit(() => send(input, init));
    },
  });
  const made = provider.chatModel(model);
  kept.set(name, made);
  return made;
}

/** Without an endpoint nothing is sent: its fetch is what keeps calls from addresses that are not permitted. */
function presentEndpoint(): Endpoint {
  const endpoint = calls.getStore();
  if (endpoint === undefined) throw new Error('a model is called without an endpoint');
  return endpoint;
}
