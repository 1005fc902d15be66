import type { BaseAgent } from '@google/adk/core';

/** The path of an agent from the root, as ADK's `nodeInfo.path` has it: `desk@1/billing@1`. A name that the tree does not have stands alone. */
export function agentPath(root: BaseAgent, name: string): string {
  const path = `${name}@1`;
  // Most apps have one agent, and each of its events asks.
  if (name === root.name) return path;
  const agent = root.findAgent(name);
  if (agent === undefined || agent === root || agent.parentAgent === undefined) return path;
  return `${agentPath(root, agent.parentAgent.name)}/${path}`;
}
