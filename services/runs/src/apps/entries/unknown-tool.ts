import { suggest } from '../../closest-name.ts';
import { isDotted } from '../definition/dotted.ts';
import type { EntryMistake } from '../definition/tool-resolver.ts';

/** Longer names are cut where they are repeated. */
const longestName = 80;

/** The mistake of an entry whose name is none of `names`. A dotted name comes here only where the agent cannot have code. */
export function unknownTool(name: string, names: readonly string[]): EntryMistake {
  const why = isDotted(name)
    ? ' It names code, and only an app in a folder of AGENTS_DIR can have code.'
    : suggest(name, names);
  return {
    path: ['name'],
    reason: `"${name.slice(0, longestName)}" is not allowed.${why} Allowed: ${names.join(', ')}`,
  };
}
