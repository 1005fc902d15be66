import { type BaseAgent, isBaseTool, isLlmAgent, type LlmAgent } from '@google/adk';
import type { FunctionDeclaration } from '@google/genai';

/** The AppInfo record of an app as public JSON; undefined when its root is a workflow. Facts: contract/runtime.md 6. */
export function printAppInfo(name: string, root: BaseAgent): Uint8Array | undefined {
  if (!isLlmAgent(root)) return undefined;
  const info = {
    name,
    rootAgentName: root.name,
    description: root.description,
    language: 'yaml',
    isComputerUse: false,
    agents: Object.fromEntries(llmAgents(root).map((agent) => [agent.name, describe(agent)])),
  };
  return new TextEncoder().encode(JSON.stringify(info));
}

/** Depth first; below an agent that is not an LlmAgent nothing is listed. */
function llmAgents(agent: LlmAgent): LlmAgent[] {
  return [agent, ...agent.subAgents.filter(isLlmAgent).flatMap(llmAgents)];
}

function describe(agent: LlmAgent): object {
  return {
    name: agent.name,
    description: agent.description,
    instruction: typeof agent.instruction === 'string' ? agent.instruction : '',
    tools: declarations(agent).map((declaration) => ({ functionDeclarations: [declaration] })),
    sub_agents: agent.subAgents.map((subAgent) => subAgent.name),
  };
}

function declarations(agent: LlmAgent): FunctionDeclaration[] {
  return agent.tools
    .filter(isBaseTool)
    .map((tool) => tool._getDeclaration())
    .filter((declaration) => declaration !== undefined);
}
