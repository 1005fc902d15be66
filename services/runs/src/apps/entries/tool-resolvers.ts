import { type BaseTool, type BaseToolset, isBaseTool } from '@google/adk';
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

/** The first resolver that owns a name makes its tool. */
export function createToolResolvers(resolvers: readonly ToolResolver[]): ToolResolvers {
  const names = resolvers.flatMap((resolver) => resolver.names);
  const ownerOf = (name: string) => resolvers.find((resolver) => resolver.owns(name));
  return {
    check: (entry) => ownerOf(entry.name)?.check(entry) ?? [unknownTool(entry.name, names)],
    make(entry, place) {
      const made = ownerOf(entry.name)?.make(entry, place);
      return isBaseTool(made) && entry.require_confirmation === true ? confirmTool(made) : made;
    },
  };
}
