import { isDotted } from './code-resolver.ts';
import type { EntryMistake } from './tool-resolver.ts';

const keys = ['agent', 'model', 'tool'].flatMap((what) => [`before_${what}_callbacks`, `after_${what}_callbacks`]);

/** The mistakes of the callbacks that a file names; its value may be anything. Lists of another shape are left to the schema. */
export function checkCallbacks(value: Readonly<Record<string, unknown>>, mayNameCode: boolean): EntryMistake[] {
  return keys.flatMap((key) => {
    const named = value[key];
    if (named === undefined) return [];
    if (!mayNameCode) return [{ path: [key], reason: 'names code: only apps in AGENTS_DIR can have it' }];
    return (Array.isArray(named) ? named : []).flatMap((entry: unknown, index) =>
      checkName(entry, [key, index, 'name']),
    );
  });
}

function checkName(entry: unknown, path: EntryMistake['path']): EntryMistake[] {
  const name = typeof entry === 'object' && entry !== null && 'name' in entry ? entry.name : undefined;
  if (typeof name !== 'string' || name === '' || isDotted(name)) return [];
  return [{ path, reason: 'must be the module and the name of an export, e.g. callbacks.check' }];
}
