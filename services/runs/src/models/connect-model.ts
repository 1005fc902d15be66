import type { Connection } from './ai-sdk/connection.ts';
import type { Endpoint } from './endpoint.ts';
import type { VendorModel } from './vendor-model.ts';

type Connect = (model: string, endpoint: Endpoint) => Connection;

/** The SDK of a vendor is loaded with its first call: all of them would be a tenth of the memory of a process that waits. */
const vendors: Record<VendorModel['provider'], () => Promise<Connect>> = {
  openai: async () => (await import('./vendors/openai.ts')).connectOpenAi,
  anthropic: async () => (await import('./vendors/anthropic.ts')).connectAnthropic,
  gemini: async () => (await import('./vendors/gemini.ts')).connectGemini,
};

/**
 * Connects a model's name with its endpoint and credentials. This is the only place that does so, and it sends no request.
 * Rejects with ModelCallError `MODEL_KEY_MISSING`, which names the setting.
 */
export async function connectModel({ provider, model }: VendorModel, endpoint: Endpoint): Promise<Connection> {
  const connect = await vendors[provider]();
  return connect(model, endpoint);
}
