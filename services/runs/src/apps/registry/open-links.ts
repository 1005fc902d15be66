import type { AppLinks } from '../code/host/app-links.ts';
import type { RemoteAgents } from '../building/agents/remote-agents.ts';
import type { RemoteAgentDefinition } from '../definition/agent-definition.ts';
import { agentsBelow } from '../files/agents-below.ts';
import type { AgentFile } from '../files/load-agent-files.ts';
import { mcpEntries } from '../files/mcp-entries.ts';
import type { McpResolver } from '../entries/mcp-resolver.ts';

/** Opens what agents of an app in a worker reach through this process. */
export type OpenLinks = (appName: string, root: AgentFile) => AppLinks;

export function createOpenLinks(mcp: McpResolver, remoteAgents: RemoteAgents): OpenLinks {
  return (appName, root) => ({
    mcp: mcpEntries(root).map(({ entry }) => mcp.link(entry, appName)),
    agents: new Map(remoteDefinitions(root).map((definition) => [definition.name, remoteAgents.link(definition)])),
  });
}

function remoteDefinitions(file: AgentFile): RemoteAgentDefinition[] {
  const { definition } = file;
  const below = agentsBelow(file).flatMap(remoteDefinitions);
  return definition.agent_class === 'RemoteA2aAgent' ? [definition, ...below] : below;
}
