import type { EntryMistake, ToolEntry } from '../definition/tool-resolver.ts';

/** Mistakes of an entry of `tools:`. */
export type CheckTool = (entry: ToolEntry) => readonly EntryMistake[];

/** The mistakes of all entries of a file's `tools`, which may be anything; entries without a name are left to the schema. */
export function checkTools(tools: unknown, checkTool: CheckTool): EntryMistake[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((entry: unknown, index) => {
    if (!isEntry(entry)) return [];
    return checkTool(entry).map(({ path, reason }) => ({ path: ['tools', index, ...path], reason }));
  });
}

function isEntry(value: unknown): value is ToolEntry {
  if (typeof value !== 'object' || value === null || !('name' in value)) return false;
  return typeof value.name === 'string' && value.name !== '';
}
