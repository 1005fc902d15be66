import { type BaseTool, type BaseToolset, isBaseTool } from '@google/adk/core';
import { confirmTool } from './confirm-tool.ts';
import type { EntryMistake, ToolEntry, ToolPlace, ToolResolver } from '../definition/tool-resolver.ts';
import { unknownTool } from './unknown-tool.ts';

/** All kinds of entries that `tools:` may hold. */
export interface ToolResolvers {
  /** Mistakes of an entry; a name that no resolver owns is one. */
  check(entry: ToolEntry): readonly EntryMistake[];
  /** Makes the tool of an entry without mistakes. Undefined: ADK itself gives it to agents. */
  make(entry: ToolEntry, place: ToolPlace): BaseTool | BaseToolset | undefined;
}

const neverAway: EntryMistake = {
  path: ['required'],
  reason: 'is a key of MCPToolset only: the source of no other tool is looked for when a run begins',
};

/** The first resolver that owns a name makes its tool. */
export function createToolResolvers(resolvers: readonly ToolResolver[]): ToolResolvers {
  const names = resolvers.flatMap((resolver) => resolver.names);
  const ownerOf = (name: string) => resolvers.find((resolver) => resolver.owns(name));
  return {
    check(entry) {
      const owner = ownerOf(entry.name);
      if (owner === undefined) return [unknownTool(entry.name, names)];
      return [...owner.check(entry), ...(entry.required === true && owner.canBeAway !== true ? [neverAway] : [])];
    },
    make(entry, place) {
      const made = ownerOf(entry.name)?.make(entry, place);
      return isBaseTool(made) && entry.require_confirmation === true ? confirmTool(made) : made;
    },
  };
}
