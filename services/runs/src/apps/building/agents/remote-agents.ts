import type { BaseAgentConfig } from '@google/adk/core';
import { savedKeyId } from '../../definition/key-reference.ts';
import { openRemoteLink } from '../../a2a/open-remote-link.ts';
import { RemoteAgent } from '../../a2a/remote-agent.ts';
import type { RemoteAgentDeps } from '../../a2a/remote-exchange.ts';
import type { RemoteLink } from '../../a2a/remote-link.ts';
import { type ArgRules, checkHeaders, checkStateHeaders, checkUrl } from '../../mcp/read-mcp-args.ts';
import type { RemoteAgentDefinition } from '../../definition/agent-definition.ts';
import type { EntryMistake } from '../../definition/tool-resolver.ts';

/** Makes agents that run elsewhere. */
export interface RemoteAgents {
  /** Mistakes of a definition, found without the network. */
  check(definition: RemoteAgentDefinition): readonly EntryMistake[];
  make(definition: RemoteAgentDefinition, config: BaseAgentConfig): RemoteAgent;
  /** How the agent of a definition without mistakes is reached. */
  link(definition: RemoteAgentDefinition): RemoteLink;
}

const usualSeconds = 600;

export function createRemoteAgents(deps: RemoteAgentDeps, rules: ArgRules): RemoteAgents {
  const link = (definition: RemoteAgentDefinition): RemoteLink => {
    const { name, agent_card: cardUrl, timeout = usualSeconds } = definition;
    const keyId = savedKeyId(definition.api_key);
    const { headers = {}, state_header_mapping: stateHeaders = {} } = definition;
    const sources = { stateHeaders, ...(keyId !== undefined && { keyId }) };
    return openRemoteLink({ name, cardUrl, headers, timeoutMs: timeout * 1_000, ...sources }, deps);
  };
  return {
    check({ agent_card: card, headers, state_header_mapping: mapping, api_key: key }) {
      const isKey = key === undefined || savedKeyId(key) !== undefined;
      return [
        ...checkUrl(card, rules.policy).map((reason) => ({ path: ['agent_card'], reason })),
        ...checkHeaders(headers, rules),
        ...checkStateHeaders(mapping),
        ...(isKey ? [] : [{ path: ['api_key'], reason: 'must name a saved key, e.g. saved:apikey7' }]),
      ];
    },
    make: (definition, config) => new RemoteAgent(config, link(definition)),
    link,
  };
}
