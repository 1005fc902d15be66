import { type BaseAgent, isLlmAgent } from '@google/adk/core';
import { McpToolset } from '../mcp/mcp-toolset.ts';
import type { AgentToolset } from './mcp-tools.ts';

/** The toolsets of an agent and of those below it. */
export function toolsetsOf(agent: BaseAgent): AgentToolset[] {
  const own = isLlmAgent(agent) ? agent.tools.filter((tool) => tool instanceof McpToolset) : [];
  return [...own.map((toolset) => ({ agentName: agent.name, toolset })), ...agent.subAgents.flatMap(toolsetsOf)];
}
