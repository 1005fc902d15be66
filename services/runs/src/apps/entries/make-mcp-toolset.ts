import type { McpArgs } from '../mcp/mcp-args.ts';
import type { McpLink } from '../mcp/mcp-link.ts';
import { McpToolset } from '../mcp/mcp-toolset.ts';
import { confirmTool } from './confirm-tool.ts';
import type { ToolEntry } from '../definition/tool-resolver.ts';

/** ADK's names of the entry: for JavaScript, and for Python. */
export const mcpNames: readonly string[] = ['MCPToolset', 'McpToolset'];

/** Makes the toolset of an entry without mistakes, whose server is reached by `link`. */
export function makeMcpToolset(entry: ToolEntry, link: McpLink): McpToolset {
  const args = (entry.args ?? {}) as McpArgs;
  const { tool_filter: filter, tool_name_prefix: prefix } = args;
  const asks = entry.require_confirmation === true || args.require_confirmation === true;
  const isRequired = entry.required === true || args.required === true;
  return new McpToolset({
    link,
    isRequired,
    ...(filter !== undefined && { filter }),
    ...(prefix !== undefined && { prefix }),
    ...(asks && { finish: confirmTool }),
  });
}
