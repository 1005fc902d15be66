/** A provider that can be called. */
export type VendorName = 'openai' | 'anthropic' | 'gemini';

const vendors: ReadonlyMap<string, VendorName> = new Map([
  ['openai', 'openai'],
  ['anthropic', 'anthropic'],
  ['gemini', 'gemini'],
  ['google', 'gemini'],
]);

/** The provider that a key is for: its own, else that of its model, e.g. `openai/gpt-5-mini`; undefined when neither tells. */
export function providerOf({ provider, model }: { provider: string; model: string }): VendorName | undefined {
  if (provider !== '') return vendors.get(provider);
  return model.startsWith('gemini-') ? 'gemini' : vendors.get(model.split('/')[0] ?? '');
}
