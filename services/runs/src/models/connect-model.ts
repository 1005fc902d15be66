import type { Connection } from './ai-sdk/connection.ts';
import type { Endpoint } from './endpoint.ts';
import type { VendorModel } from './vendor-model.ts';
import { connectAnthropic } from './vendors/anthropic.ts';
import { connectGemini } from './vendors/gemini.ts';
import { connectOpenAi } from './vendors/openai.ts';

const vendors = {
  openai: connectOpenAi,
  anthropic: connectAnthropic,
  gemini: connectGemini,
};

/**
 * Connects a model's name with its endpoint and credentials. This is the only place that does so, and it sends no request.
 * Throws ModelCallError `MODEL_KEY_MISSING`, which names the setting.
 */
export function connectModel({ provider, model }: VendorModel, endpoint: Endpoint): Connection {
  return vendors[provider](model, endpoint);
}
