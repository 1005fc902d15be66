import { RemoteAgent } from '../../../a2a/remote-agent.ts';
import type { RemoteLink, RemoteReply } from '../../../a2a/remote-link.ts';
import type { RemoteAgents } from '../../../building/agents/remote-agents.ts';
import type { RemoteAgentDefinition } from '../../../definition/agent-definition.ts';
import type { Channel } from '../channel.ts';
import { requireRun } from '../current-run.ts';
import { pickState } from './pick-state.ts';

/** Makes agents that run elsewhere and that the host reaches. */
export function createHostAgents(channel: Channel): Pick<RemoteAgents, 'make'> {
  return { make: (definition, config) => new RemoteAgent(config, hostLink(channel, definition)) };
}

function hostLink(channel: Channel, definition: RemoteAgentDefinition): RemoteLink {
  const { name: agent, state_header_mapping: mapping = {} } = definition;
  return {
    ask({ events, state, signal }) {
      const run = requireRun('A remote agent can be asked');
      const call = { to: 'agent', agent, events, state: pickState(mapping, state) } as const;
      return channel.stream(call, { run, signal }) as AsyncGenerator<RemoteReply, void>;
    },
  };
}
