import { builtInTools, type ToolDeps, toolNames } from '../tools/built-in-tools.ts';
import type { CheckTool } from './check-tools.ts';
import type { ToolResolver } from '../definition/tool-resolver.ts';
import { unknownTool } from './unknown-tool.ts';

/** Entries that name a built-in tool. */
export function createBuiltInResolver(deps: ToolDeps): ToolResolver {
  return {
    names: toolNames,
    owns: (name) => toolNames.includes(name),
    check: checkBuiltInTool,
    make: ({ name }) => builtInTools.get(name)?.(deps),
  };
}

/** Mistakes of an entry where only built-in tools may be named. */
export const checkBuiltInTool: CheckTool = ({ name, args }) => {
  if (!toolNames.includes(name)) return [unknownTool(name, toolNames)];
  return args === undefined ? [] : [{ path: ['args'], reason: `"${name}" takes no args` }];
};
