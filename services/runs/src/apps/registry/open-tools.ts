import {
  type AddressPolicy,
  createAddressPolicy,
  createGuardedApiFetch,
  createGuardedFetch,
  type GuardedFetch,
} from '@agentmesh/lib/outbound';
import type { Host } from '@agentmesh/lib/service';
import type { AccountSteps } from '@agentmesh/lib/wait';
import { createOpenRemote } from '../a2a/remote-client.ts';
import { loadMcpConnections } from '../mcp/connection/load-connections.ts';
import type { OpenHeaders, OpenToolKey } from '../mcp/request-headers.ts';
import { createRemoteAgents, type RemoteAgents } from '../building/agents/remote-agents.ts';
import type { AppsConfig } from './apps-config.ts';
import { createOpenLinks, type OpenLinks } from './open-links.ts';
import { createBuiltInResolver } from '../entries/built-in-resolver.ts';
import { codeElsewhere } from '../entries/code-resolver.ts';
import { agentToolResolver } from '../entries/agent-tool-args.ts';
import { createMcpResolver } from '../entries/mcp-resolver.ts';
import { createToolResolvers, type ToolResolvers } from '../entries/tool-resolvers.ts';

/** The kinds of tools that agents can have. */
export interface OpenTools {
  /** For files of `AGENTS_DIR`. */
  readonly ofFiles: ToolResolvers;
  /** For agents that are records: no code, and no programs. */
  readonly ofRecords: ToolResolvers;
  readonly remoteAgents: RemoteAgents;
  readonly openLinks: OpenLinks;
  /** Reaches only permitted addresses, for `http_get`. */
  readonly fetch: GuardedFetch;
}

export interface ToolsDeps extends Pick<Host, 'log' | 'resources'> {
  /** Spreads what servers of tools cost over rounds of the event loop. Absent: nothing waits for it. */
  readonly steps?: AccountSteps;
  readonly openKey: OpenToolKey;
  readonly openHeaders: OpenHeaders;
}

/** Opens what tools are made of, until the host closes. */
export function openTools({ log, resources, steps, openKey, openHeaders }: ToolsDeps, config: AppsConfig): OpenTools {
  const policy: AddressPolicy = createAddressPolicy(config.tools.mcpAllow);
  const { fetch } = resources.use(createGuardedApiFetch({ policy }));
  const connections = resources.use(loadMcpConnections({ fetch, steps }));
  const deps = { connections, openKey, log };
  const guardedFetch = createGuardedFetch({ allow: config.tools.allow });
  const builtIn = createBuiltInResolver({ fetch: guardedFetch });
  const rules = { policy, isTrusted: true };
  const mcpOfFiles = createMcpResolver({ deps, rules, dir: config.agentsDir });
  const mcpOfRecords = createMcpResolver({
    deps: { ...deps, openHeaders },
    rules: { policy, isTrusted: false },
  });
  const remoteAgents = createRemoteAgents({ openRemote: createOpenRemote({ fetch, policy }), openKey, log }, rules);
  return {
    ofFiles: createToolResolvers([builtIn, agentToolResolver, codeElsewhere, mcpOfFiles]),
    ofRecords: createToolResolvers([builtIn, mcpOfRecords]),
    remoteAgents,
    openLinks: createOpenLinks(mcpOfFiles, remoteAgents),
    fetch: guardedFetch,
  };
}
