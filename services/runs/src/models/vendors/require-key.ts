import { ModelCallError } from '../model-call-error.ts';

/** Returns the key. Throws ModelCallError `MODEL_KEY_MISSING` with the name of its setting when there is none. */
export function requireKey(apiKey: string | undefined, setting: string): string {
  if (apiKey !== undefined) return apiKey;
  throw new ModelCallError('MODEL_KEY_MISSING', `This model needs a key: set ${setting}.`);
}
