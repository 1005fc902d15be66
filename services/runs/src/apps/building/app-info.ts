import { type BaseAgent, isBaseTool, isLlmAgent, type LlmAgent } from '@google/adk/core';
import type { FunctionDeclaration } from '@google/genai';
import { echoTools } from '../tools/echo-tools.ts';
import type { AgentFile } from '../files/load-agent-files.ts';

export interface AppFacts {
  readonly name: string;
  readonly root: BaseAgent;
  /** Absent for agents in code, all of whose tools are listed. */
  readonly file?: AgentFile | undefined;
  readonly language: string;
}

/**
 * The AppInfo record of an app as public JSON, as ADK's API server answers it; undefined when its root is a workflow. Tools are
 * listed where the files name them.
 */
export function printAppInfo({ name, root, file, language }: AppFacts): Uint8Array | undefined {
  if (!isLlmAgent(root)) return undefined;
  const named = file && namedTools(file);
  const info = {
    name,
    rootAgentName: root.name,
    description: root.description,
    language,
    isComputerUse: false,
    agents: Object.fromEntries(
      llmAgents(root).map((agent) => [agent.name, describe(agent, named && (named.get(agent.name) ?? new Set()))]),
    ),
  };
  return new TextEncoder().encode(JSON.stringify(info));
}

/** By agent, whose name is unique in an app. */
function namedTools({ definition, subAgents }: AgentFile): Map<string, ReadonlySet<string>> {
  const tools = 'tools' in definition ? (definition.tools ?? []) : [];
  const own: [string, ReadonlySet<string>] = [definition.name, new Set(tools.map(({ name }) => name))];
  return new Map([own, ...subAgents.flatMap((subAgent) => [...namedTools(subAgent)])]);
}

/** Depth first; below an agent that is not an LlmAgent nothing is listed. */
function llmAgents(agent: LlmAgent): LlmAgent[] {
  return [agent, ...agent.subAgents.filter(isLlmAgent).flatMap(llmAgents)];
}

function describe(agent: LlmAgent, named: ReadonlySet<string> | undefined): object {
  return {
    name: agent.name,
    description: agent.description,
    instruction: typeof agent.instruction === 'string' ? agent.instruction : '',
    tools: declarations(agent, named).map((declaration) => ({ functionDeclarations: [declaration] })),
    sub_agents: agent.subAgents.map((subAgent) => subAgent.name),
  };
}

function declarations(agent: LlmAgent, named: ReadonlySet<string> | undefined): FunctionDeclaration[] {
  return agent.tools
    .filter(isBaseTool)
    .filter(({ name }) => named === undefined || named.has(name) || !echoTools.includes(name))
    .map((tool) => tool._getDeclaration())
    .filter((declaration) => declaration !== undefined);
}
