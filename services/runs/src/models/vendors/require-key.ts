import { ModelCallError } from '../ai-sdk/failure/model-call-error.ts';

/** The key, or ModelCallError `MODEL_KEY_MISSING` that names the setting it comes from. */
export function requireKey(apiKey: string | undefined, setting: string): string {
  if (apiKey !== undefined) return apiKey;
  throw new ModelCallError('MODEL_KEY_MISSING', `This model needs a key: set ${setting}.`);
}
