const vendors = ['openai', 'anthropic', 'gemini'];

/** The provider whose key a model needs; empty for a model that needs none, or for no model. */
export function modelProvider(model: string): string {
  const prefix = model.includes('/') ? model.slice(0, model.indexOf('/')) : model.split('-')[0];
  const provider = prefix === 'google' ? 'gemini' : (prefix ?? '');
  return vendors.includes(provider) ? provider : '';
}
