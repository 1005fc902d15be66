import type { Connection } from './ai-sdk/connection.ts';
import type { VendorName } from './model-name.ts';
import { connectAnthropic } from './vendors/anthropic.ts';
import { connectGemini } from './vendors/gemini.ts';
import { connectOpenAi } from './vendors/openai.ts';

/** Where a provider is asked and as whom: from the settings, or for one call alone. */
export interface Endpoint {
  /** As the provider's setting wants it, without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Which of OpenAI's wire forms is spoken; chat completions when absent. */
  readonly openAiApi?: 'chat' | 'responses';
  /** What requests go through; the plain one of the platform when absent. */
  readonly fetch?: typeof globalThis.fetch;
}

/** A provider's model, as the provider names it. */
export interface VendorModel {
  readonly provider: VendorName;
  readonly model: string;
}

const vendors = {
  openai: connectOpenAi,
  anthropic: connectAnthropic,
  gemini: connectGemini,
};

/**
 * The one place where a model's name and credentials become something that can be asked; nothing is asked yet.
 * Throws ModelCallError `MODEL_KEY_MISSING`, which names the setting.
 */
export function connectModel({ provider, model }: VendorModel, endpoint: Endpoint): Connection {
  return vendors[provider](model, endpoint);
}
