/** A provider that can be called. */
export type VendorName = 'openai' | 'anthropic' | 'gemini';

const vendors: ReadonlyMap<string, VendorName> = new Map([
  ['openai', 'openai'],
  ['anthropic', 'anthropic'],
  ['gemini', 'gemini'],
  ['google', 'gemini'],
]);

interface KeyPlace {
  readonly provider: string;
  readonly model: string;
  /** Empty: the provider's own address. */
  readonly model_api_base: string;
}

/**
 * The provider whose API a key is used with: the key's own, else that of its model, e.g. `openai/gpt-5-mini`. Another provider with a base
 * address is called by OpenAI's API, which most of them serve. Undefined when the provider is not known and has no base address.
 */
export function providerOf({ provider, model, model_api_base: base }: KeyPlace): VendorName | undefined {
  if (provider !== '') return vendors.get(provider) ?? (base === '' ? undefined : 'openai');
  return model.startsWith('gemini-') ? 'gemini' : vendors.get(model.split('/')[0] ?? '');
}
