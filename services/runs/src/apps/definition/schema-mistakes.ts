import type { TSchema } from 'typebox';
import { Settings } from 'typebox/system';
import Value from 'typebox/value';
import { unsupportedKeys } from './agent-definition.ts';
import { suggest } from '../../closest-name.ts';
import { refusedSettings } from './model-config.ts';

/** A mistake in one value of a file. */
export interface ValueMistake {
  readonly path: readonly string[];
  readonly reason: string;
}

/** TypeBox finds only eight unless it is told otherwise. */
const mostErrors = 200;
/** Longer words of a file are cut where they are repeated. */
const longestWord = 80;

/** All differences between a value and its schema, each once. */
export function schemaMistakes(schema: TSchema, value: unknown): ValueMistake[] {
  const errors = withMaxErrors(() => Value.Errors(schema, value));
  return errors.flatMap((error) => describe(schema, value, error));
}

/** TypeBox has one setting for all; nothing else runs before it is put back. */
function withMaxErrors<T>(work: () => T): T {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: mostErrors });
  try {
    return work();
  } finally {
    Settings.Set({ maxErrors });
  }
}

type ValueError = ReturnType<typeof Value.Errors>[number];

function describe(schema: TSchema, root: unknown, error: ValueError): ValueMistake[] {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer);
  // TypeBox has one such error for each unknown key, and one more that names them.
  if (error.keyword === 'boolean') return [];
  if (error.keyword === 'anyOf') return [{ path, reason: `must be ${descriptionAt(schema, path)}` }];
  // Each branch of such a choice has errors of its own.
  if (error.schemaPath.includes('/anyOf/')) return [];
  if (error.keyword === 'additionalProperties') {
    const known = Object.keys(propertiesAt(schema, path));
    return error.params.additionalProperties.map((key) => unknownKey([...path, key], known));
  }
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map((key) => ({ path: [...path, key], reason: 'is required' }));
  }
  if (error.keyword === 'enum') {
    return [{ path, reason: notAllowed(valueAt(root, path), error.params.allowedValues.map(String)) }];
  }
  return [{ path, reason: error.keyword === 'minLength' ? 'must not be empty' : error.message }];
}

function unknownKey(path: readonly string[], known: readonly string[]): ValueMistake {
  const key = path.at(-1) ?? '';
  const refusal = refusalOf(path);
  if (refusal !== undefined) return { path, reason: refusal };
  const short = path.with(-1, key.slice(0, longestWord));
  return { path: short, reason: `is not a key here.${suggest(key, known)} Keys: ${known.toSorted().join(', ')}` };
}

/** Text for a key that ADK has and that cannot be used here. */
function refusalOf([first = '', second = '', ...deeper]: readonly string[]): string | undefined {
  if (second === '' && unsupportedKeys.has(first)) {
    const instead = unsupportedKeys.get(first);
    return `is a key of ADK for Python that is not supported here${instead === undefined ? '' : `; use ${instead}`}`;
  }
  const instead = first === 'generate_content_config' && deeper.length === 0 ? refusedSettings.get(second) : undefined;
  return instead === undefined ? undefined : `must not be set here; ${instead}`;
}

function notAllowed(value: unknown, allowed: readonly string[]): string {
  const word = typeof value === 'string' ? value : JSON.stringify(value);
  return `"${word.slice(0, longestWord)}" is not allowed.${suggest(word, allowed)} Allowed: ${allowed.join(', ')}`;
}

/** The properties of the object schema at a path of values. */
function propertiesAt(schema: TSchema, path: readonly string[]): Record<string, TSchema> {
  let at: { properties?: Record<string, TSchema>; items?: TSchema } | undefined = schema;
  for (const step of path) at = at?.items ?? at?.properties?.[step];
  return at?.properties ?? {};
}

function descriptionAt(schema: TSchema, path: readonly string[]): string {
  const { description } = propertiesAt(schema, path.slice(0, -1))[path.at(-1) ?? ''] as { description?: string };
  return description ?? 'another value';
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let at = root;
  for (const step of path) at = typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined;
  return at;
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
