import { randomUUID } from 'node:crypto';
import { createGoogle } from '@ai-sdk/google';
import type { LanguageModelV4Usage, SharedV4ProviderMetadata, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { GenerateContentResponseUsageMetadata } from '@google/genai';
import type { Connection } from '../ai-sdk/connection.ts';
import type { Dialect } from '../ai-sdk/dialect.ts';
import type { Endpoint } from '../endpoint.ts';
import { withOwnAnswers } from './gemini-answers.ts';
import { geminiEnd, geminiFinish } from './gemini-finish.ts';
import { geminiNativeTools } from './gemini-native-tools.ts';
import { geminiOptions } from './gemini-options.ts';
import { geminiSources } from './gemini-sources.ts';
import { requireKey } from './require-key.ts';
import { keepSignature, recallSignature } from './thought-signature.ts';
import { createVendorFetch } from './vendor-fetch.ts';

/** A model behind `POST {base}/v1beta/models/{model}:generateContent` and `:streamGenerateContent`. */
export function connectGemini(model: string, endpoint: Endpoint): Connection {
  const { baseUrl, apiKey } = endpoint;
  const key = requireKey(apiKey, 'GEMINI_API_KEY');
  const provider = createGoogle({
    baseURL: /\/v1(beta|alpha)?$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1beta`,
    apiKey: key,
    fetch: withOwnAnswers(createVendorFetch(endpoint)),
    // ADK gives calls without an id one that begins with `adk-`, and removes such ids from what it sends.
    generateId: () => `adk-${randomUUID()}`,
  });
  return { languageModel: provider(model), dialect, secrets: [key] };
}

const dialect: Dialect = {
  files: { text: 'file', link: ({ protocol }) => /^(https?|gs):$/.test(protocol), inAnswers: true },
  userFirst: true,
  callId: /^.+$/s,
  options: geminiOptions,
  nativeTools: geminiNativeTools,
  readSignature,
  writeSignature,
  finish: geminiFinish,
  usage,
  readModelVersion,
  readSources: geminiSources,
  readEnd: geminiEnd,
};

function readSignature({ google }: SharedV4ProviderMetadata): string | undefined {
  const signature = google?.['thoughtSignature'];
  return typeof signature === 'string' ? keepSignature('gemini', signature) : undefined;
}

function writeSignature(thoughtSignature: string): SharedV4ProviderOptions | undefined {
  const { kind, signature } = recallSignature(thoughtSignature);
  return kind === 'gemini' ? { google: { thoughtSignature: signature } } : undefined;
}

/** The vendor's own counts: ADK and Gemini use the same names. */
function usage({ raw }: LanguageModelV4Usage): GenerateContentResponseUsageMetadata {
  return Object.fromEntries(Object.entries(raw ?? {}).filter(([, count]) => count !== null && count !== undefined));
}

function readModelVersion(raw: unknown): string | undefined {
  const version = typeof raw === 'object' && raw !== null && 'modelVersion' in raw ? raw.modelVersion : undefined;
  return typeof version === 'string' ? version : undefined;
}
