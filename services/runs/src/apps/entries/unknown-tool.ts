import { suggest } from '../../closest-name.ts';
import type { EntryMistake } from '../definition/tool-resolver.ts';

/** Longer names are cut where they are repeated. */
const longestName = 80;

/** The mistake of an entry whose name is none of `names`. */
export function unknownTool(name: string, names: readonly string[]): EntryMistake {
  const reason = `"${name.slice(0, longestName)}" is not allowed.${suggest(name, names)} Allowed: ${names.join(', ')}`;
  return { path: ['name'], reason };
}
