import type { AgentFile } from './load-agent-files.ts';

/** The files of an agent's sub-agents, and of the agents that are its tools. */
export function agentsBelow({ subAgents, toolAgents }: AgentFile): AgentFile[] {
  return [...subAgents, ...(toolAgents?.values() ?? [])];
}
