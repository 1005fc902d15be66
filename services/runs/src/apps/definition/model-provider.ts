import type { SavedKey } from '@agentmesh/proto/keys/v1/saved_keys';

const vendors = ['openai', 'anthropic', 'gemini'];

/** The provider whose key a model needs; empty for a model that needs none, or for no model. */
export function modelProvider(model: string): string {
  const prefix = model.includes('/') ? model.slice(0, model.indexOf('/')) : model.split('-')[0];
  const provider = prefix === 'google' ? 'gemini' : (prefix ?? '');
  return vendors.includes(provider) ? provider : '';
}

/**
 * The provider whose models a saved key is for; empty: of any. A provider that is not known, but has a base address, is used by OpenAI's API
 * and thus by models named `openai/…`.
 */
export function keyProvider({ provider, modelApiBase }: Pick<SavedKey, 'provider' | 'modelApiBase'>): string {
  if (provider === 'google') return 'gemini';
  return provider === '' || vendors.includes(provider) || modelApiBase === '' ? provider : 'openai';
}
