import type { ToolEntry } from '../definition/tool-resolver.ts';
import { mcpNames } from '../entries/make-mcp-toolset.ts';
import { agentsBelow } from './agents-below.ts';
import type { AgentFile } from './load-agent-files.ts';

/** An entry `MCPToolset`, and the agent that has it. */
export interface McpEntry {
  readonly agentName: string;
  readonly entry: ToolEntry;
}

/** All entries `MCPToolset` of an app's files, always in the same order. */
export function mcpEntries(file: AgentFile): McpEntry[] {
  const { definition } = file;
  const tools: readonly ToolEntry[] = 'tools' in definition ? (definition.tools ?? []) : [];
  const own = tools.filter(({ name }) => mcpNames.includes(name));
  return [...own.map((entry) => ({ agentName: definition.name, entry })), ...agentsBelow(file).flatMap(mcpEntries)];
}
