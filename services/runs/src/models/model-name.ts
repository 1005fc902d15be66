import { MeshError } from '@agentmesh/lib/rpc';
import { closestName } from '../closest-name.ts';

/** The provider of a model. */
export type Provider = 'echo' | VendorName;
/** A provider on the network. */
export type VendorName = 'openai' | 'anthropic' | 'gemini';

export interface ModelName {
  readonly provider: Provider;
  /** The provider's own name, e.g. `gpt-5-mini`. */
  readonly model: string;
}

const providers: ReadonlyMap<string, Provider> = new Map([
  ['echo', 'echo'],
  ['openai', 'openai'],
  ['anthropic', 'anthropic'],
  ['gemini', 'gemini'],
  ['google', 'gemini'],
]);

/** Longer names are cut in messages. */
const longestName = 80;

/** Names that a vendor takes as part of an address. */
const pathSafe = /^[\w@:-][\w.@:-]*(\/[\w@:-][\w.@:-]*)*$/;

/** Reads `provider/model`; a bare `gemini-*` is `gemini/gemini-*`. Throws MeshError `invalid_argument`, `model_unknown`. */
export function readModelName(name: string): ModelName {
  const read = parse(name);
  if (read === undefined) throw new MeshError('invalid_argument', 'model_unknown', unknownModel(name));
  return read;
}

/** Public text for an unknown name; undefined for a known one. */
export function modelNameProblem(name: string): string | undefined {
  return parse(name) === undefined ? unknownModel(name) : undefined;
}

function parse(name: string): ModelName | undefined {
  const slash = name.indexOf('/');
  const isBareGemini = slash === -1 && name.startsWith('gemini-');
  const provider = isBareGemini ? 'gemini' : providers.get(name.slice(0, Math.max(slash, 0)));
  const model = isBareGemini ? name : name.slice(slash + 1);
  if (provider === undefined || model === '') return undefined;
  return provider === 'gemini' && !pathSafe.test(model) ? undefined : { provider, model };
}

function unknownModel(name: string): string {
  const meant = guess(name);
  return (
    `The model "${name.slice(0, longestName)}" is not known. ${meant === undefined ? '' : `Did you mean "${meant}"? `}` +
    'Name it provider/model, e.g. openai/gpt-5-mini, anthropic/claude-sonnet-4-5, gemini/gemini-2.5-flash; echo/echo needs no network.'
  );
}

/** Beginnings of names by which their provider is known. */
const beginnings = [
  ['openai', /^(gpt|chatgpt|o\d)/],
  ['anthropic', /^claude/],
  ['gemini', /^gemini/],
] as const;

/** The name that is most likely meant; undefined when there is none. */
function guess(name: string): string | undefined {
  if (name.length > longestName) return undefined;
  const slash = name.indexOf('/');
  const model = name.slice(slash + 1);
  const given = slash === -1 ? undefined : closestName(name.slice(0, slash), [...providers.keys()]);
  const provider = given ?? beginnings.find(([, begins]) => begins.test(model))?.[0];
  const meant = provider === undefined ? undefined : `${provider}/${model}`;
  return meant === undefined || parse(meant) === undefined ? undefined : meant;
}
