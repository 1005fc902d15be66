import type { ToolEntry } from '../definition/tool-resolver.ts';
import { mcpNames } from '../entries/make-mcp-toolset.ts';
import { agentsBelow } from './agents-below.ts';
import type { AgentFile } from './load-agent-files.ts';

/** All entries `MCPToolset` of an app's files, always in the same order. */
export function mcpEntries(file: AgentFile): ToolEntry[] {
  const { definition } = file;
  const tools: readonly ToolEntry[] = 'tools' in definition ? (definition.tools ?? []) : [];
  return [...tools.filter(({ name }) => mcpNames.includes(name)), ...agentsBelow(file).flatMap(mcpEntries)];
}
