import type { EntryMistake } from '../definition/tool-resolver.ts';
import { isDotted } from '../definition/dotted.ts';

type Place = EntryMistake['path'];
/** A value of a file that names code, or something else by mistake. */
type Reference = readonly [path: Place, name: unknown];

const callbacks = ['agent', 'model', 'tool'].flatMap((what) => [`before_${what}_callbacks`, `after_${what}_callbacks`]);
const schemas = ['input_schema', 'output_schema'];

/**
 * The mistakes of the names of code in a file, whose value may be anything: callbacks, agents, schemas and models. Names of tools, and values of
 * another shape, are left to others.
 */
export function checkCodeNames(value: Readonly<Record<string, unknown>>, mayNameCode: boolean): EntryMistake[] {
  const wrong = mayNameCode ? wrongName : noCode;
  return [...references(value).flatMap(wrong), ...checkSources(value)];
}

function references(value: Readonly<Record<string, unknown>>): Reference[] {
  const named = callbacks.flatMap((key) =>
    listAt(value, key).map((item, at) => refer([key, at, 'name'], item, 'name')),
  );
  const agents = listAt(value, 'sub_agents').map((item, at) => refer(['sub_agents', at, 'code'], item, 'code'));
  const shapes = schemas
    .filter((key) => fieldOf(value[key], 'type') === undefined)
    .map((key) => refer([key, 'name'], value[key], 'name'));
  const model = refer(['model_code', 'name'], value['model_code'], 'name');
  return [...named, ...agents, ...shapes, model].filter(([, name]) => name !== undefined && name !== '');
}

function wrongName([path, name]: Reference): EntryMistake[] {
  if (typeof name !== 'string' || isDotted(name)) return [];
  return [{ path, reason: 'must be the module and the name of an export, e.g. callbacks.check' }];
}

function noCode([path]: Reference): EntryMistake[] {
  return [{ path, reason: 'names code: only apps in AGENTS_DIR can have it' }];
}

/** Values that may be given in one of two ways. */
function checkSources(value: Readonly<Record<string, unknown>>): EntryMistake[] {
  const agents = listAt(value, 'sub_agents').flatMap((item, at): EntryMistake[] => {
    const [path, code] = [fieldOf(item, 'config_path'), fieldOf(item, 'code')];
    if ((path === undefined) !== (code === undefined) || !isMap(item)) return [];
    const reason = path === undefined ? 'is required, or code' : 'cannot stand beside code';
    return [{ path: ['sub_agents', at, 'config_path'], reason }];
  });
  const shapes = schemas.flatMap((key): EntryMistake[] => {
    const shape = value[key];
    const isEmpty = isMap(shape) && fieldOf(shape, 'type') === undefined && fieldOf(shape, 'name') === undefined;
    return isEmpty ? [{ path: [key, 'type'], reason: 'is required, or the name of a schema in code' }] : [];
  });
  const isTwice = value['model'] !== undefined && value['model_code'] !== undefined;
  return [...agents, ...shapes, ...(isTwice ? [{ path: ['model_code'], reason: 'cannot stand beside model' }] : [])];
}

function listAt(value: Readonly<Record<string, unknown>>, key: string): readonly unknown[] {
  const list = value[key];
  return Array.isArray(list) ? list : [];
}

function refer(path: Place, item: unknown, key: string): Reference {
  return [path, fieldOf(item, key)];
}

function fieldOf(item: unknown, key: string): unknown {
  return isMap(item) ? item[key] : undefined;
}

function isMap(item: unknown): item is Readonly<Record<string, unknown>> {
  return typeof item === 'object' && item !== null && !Array.isArray(item);
}
