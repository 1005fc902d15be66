import type { RemoteLink } from '../../a2a/remote-link.ts';
import type { McpLink } from '../../mcp/mcp-link.ts';

/** Servers and agents elsewhere that agents in a worker reach through this process. */
export interface AppLinks {
  /** The links of all entries `MCPToolset`, in the order of `mcpEntries`. */
  readonly mcp: readonly McpLink[];
  /** By the name of the agent. */
  readonly agents: ReadonlyMap<string, RemoteLink>;
}

export const noLinks: AppLinks = { mcp: [], agents: new Map() };
