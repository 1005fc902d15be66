import type { McpArgs } from '../../../mcp/mcp-args.ts';
import { McpFailure } from '../../../mcp/connection/mcp-failure.ts';
import type { McpLink, McpUse } from '../../../mcp/mcp-link.ts';
import type { ListedTools } from '../../../mcp/connection/listed-tools.ts';
import type { AgentFile } from '../../../files/load-agent-files.ts';
import { makeMcpToolset, mcpNames } from '../../../entries/make-mcp-toolset.ts';
import { mcpEntries } from '../../../files/mcp-entries.ts';
import type { ToolEntry, ToolResolver } from '../../../definition/tool-resolver.ts';
import type { McpServerCall } from '../../protocol.ts';
import type { Channel } from '../channel.ts';
import { requireRun } from '../current-run.ts';
import { pickState } from './pick-state.ts';

/** Entries `MCPToolset` of an app, whose servers the host reaches. */
export function createHostMcpResolver(channel: Channel, root: AgentFile): ToolResolver {
  const entries = mcpEntries(root).map(({ entry }) => entry);
  return {
    names: [],
    owns: (name) => mcpNames.includes(name),
    check: () => [],
    make: (entry) => makeMcpToolset(entry, hostLink(channel, entry, entries.indexOf(entry))),
  };
}

function hostLink(channel: Channel, entry: ToolEntry, server: number): McpLink {
  const { state_header_mapping: mapping = {} } = (entry.args ?? {}) as McpArgs;
  const ask = async ({ state, signal }: McpUse, tool?: McpServerCall['tool']): Promise<unknown> => {
    const run = requireRun('An MCP server can be used');
    const call: McpServerCall = { to: 'mcp', server, state: pickState(mapping, state), ...(tool && { tool }) };
    try {
      return await channel.ask(call, { run, signal });
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof Error && error.name === 'McpFailure' ? new McpFailure(error.message) : error;
    }
  };
  return { listTools: (use) => ask(use) as Promise<ListedTools>, callTool: ask };
}
