import { MeshError } from '@agentmesh/lib/rpc';

/** Who answers for a model. */
export type Provider = 'echo' | VendorName;
/** A provider on the network. */
export type VendorName = 'openai' | 'anthropic' | 'gemini';

export interface ModelName {
  readonly provider: Provider;
  /** As the provider names it, e.g. `gpt-5-mini`. */
  readonly model: string;
}

const providers: ReadonlyMap<string, Provider> = new Map([
  ['echo', 'echo'],
  ['openai', 'openai'],
  ['anthropic', 'anthropic'],
  ['gemini', 'gemini'],
  ['google', 'gemini'],
]);

/** Names that a vendor takes as part of an address. */
const pathSafe = /^[\w@:-][\w.@:-]*(\/[\w@:-][\w.@:-]*)*$/;

/** Reads `provider/model`; a bare `gemini-*` is `gemini/gemini-*`. Throws MeshError `invalid_argument`, `model_unknown`. */
export function readModelName(name: string): ModelName {
  const slash = name.indexOf('/');
  if (slash === -1 && name.startsWith('gemini-')) return checked(name, { provider: 'gemini', model: name });
  const provider = providers.get(name.slice(0, slash));
  const model = name.slice(slash + 1);
  if (slash < 1 || provider === undefined || model === '') throw modelUnknown(name);
  return checked(name, { provider, model });
}

function checked(name: string, modelName: ModelName): ModelName {
  if (modelName.provider === 'gemini' && !pathSafe.test(modelName.model)) throw modelUnknown(name);
  return modelName;
}

function modelUnknown(name: string): MeshError {
  const message =
    `The model "${name}" is not known. Name it provider/model, e.g. openai/gpt-5-mini, anthropic/claude-sonnet-4-5, ` +
    'gemini/gemini-2.5-flash; echo/echo needs no network.';
  return new MeshError('invalid_argument', 'model_unknown', message);
}
