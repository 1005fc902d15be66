import { modelsOf } from '../definition/agent-definition.ts';
import type { AgentFile } from '../files/load-agent-files.ts';

/** The tree of an app's agents, from its files, as the JSON that ADK's web UI draws. */
export function printAppGraph(name: string, file: AgentFile): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ name, root_agent: describe(file) }));
}

/** Keys with an undefined value are left out of the JSON. */
function describe({ definition, subAgents }: AgentFile): object {
  const { name, description } = definition;
  const own = 'tools' in definition ? (definition.tools ?? []) : [];
  const tools = own.map((tool) => ({ name: tool.name, type: 'tool' }));
  return {
    name,
    type: 'agent',
    description: description === '' ? undefined : description,
    model: modelsOf(definition)[0],
    tools: tools.length === 0 ? undefined : tools,
    sub_agents: subAgents.length === 0 ? undefined : subAgents.map(describe),
  };
}
