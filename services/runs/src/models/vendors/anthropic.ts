import type { SharedV4ProviderMetadata, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { createAnthropic } from '@ai-sdk/anthropic';
import { FinishReason } from '@google/genai';
import type { Connection } from '../ai-sdk/connection.ts';
import type { Dialect } from '../ai-sdk/dialect.ts';
import type { Ending, Finish } from '../ai-sdk/ending.ts';
import { failed, toFinish } from '../ai-sdk/to-finish.ts';
import { toUsageMetadata } from '../ai-sdk/to-usage-metadata.ts';
import type { Endpoint } from '../endpoint.ts';
import { anthropicOptions } from './anthropic-options.ts';
import { requireKey } from './require-key.ts';
import { keepSignature, recallSignature } from './thought-signature.ts';
import { createVendorFetch } from './vendor-fetch.ts';

/** A model behind `POST {base}/v1/messages`. */
export function connectAnthropic(model: string, endpoint: Endpoint): Connection {
  const apiKey = requireKey(endpoint.apiKey, 'ANTHROPIC_API_KEY');
  const baseURL = endpoint.baseUrl.endsWith('/v1') ? endpoint.baseUrl : `${endpoint.baseUrl}/v1`;
  const provider = createAnthropic({ baseURL, apiKey, fetch: createVendorFetch(endpoint) });
  return { languageModel: provider(model), dialect, secrets: [apiKey] };
}

const dialect: Dialect = {
  files: {
    text: 'document',
    link: ({ protocol }, mediaType) =>
      /^https?:$/.test(protocol) && (mediaType.startsWith('image/') || mediaType === 'application/pdf'),
    inAnswers: true,
  },
  userFirst: true,
  callId: /^[\w-]+$/,
  options: anthropicOptions,
  readSignature,
  writeSignature,
  finish,
  usage: toUsageMetadata,
};

function readSignature({ anthropic }: SharedV4ProviderMetadata): string | undefined {
  const { signature, redactedData } = anthropic ?? {};
  if (typeof signature === 'string') return keepSignature('anthropic', signature);
  return typeof redactedData === 'string' ? keepSignature('anthropic-redacted', redactedData) : undefined;
}

function writeSignature(thoughtSignature: string): SharedV4ProviderOptions | undefined {
  const { kind, signature } = recallSignature(thoughtSignature);
  if (kind === 'anthropic') return { anthropic: { signature } };
  return kind === 'anthropic-redacted' ? { anthropic: { redactedData: signature } } : undefined;
}

function finish(ending: Ending): Finish {
  const { raw } = ending.reason;
  if (raw === 'refusal') return failed(FinishReason.SAFETY, 'The model refused to answer.');
  if (raw === 'model_context_window_exceeded') {
    return failed(FinishReason.MAX_TOKENS, "The answer filled the rest of the model's context window.");
  }
  return toFinish(ending);
}
