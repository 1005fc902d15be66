import type { ConnectDeps } from './connect.ts';
import type { McpConnections } from './mcp-connections.ts';

/** Connections whose client library is loaded with the first call: most processes never call an MCP server. */
export function loadMcpConnections(deps: ConnectDeps): McpConnections {
  let loaded: Promise<McpConnections> | undefined;
  const load = (): Promise<McpConnections> => {
    loaded ??= import('./mcp-connections.ts').then(({ createMcpConnections }) => createMcpConnections(deps));
    return loaded;
  };
  return {
    listTools: async (target, signal) => (await load()).listTools(target, signal),
    callTool: async (target, call, signal) => (await load()).callTool(target, call, signal),
    async [Symbol.asyncDispose]() {
      const connections = await loaded;
      await connections?.[Symbol.asyncDispose]();
    },
  };
}
