import {
  type BaseAgent,
  type BaseTool,
  LlmAgent,
  type LlmAgentConfig,
  LoopAgent,
  ParallelAgent,
  SequentialAgent,
} from '@google/adk';
import type { GenerateContentConfig } from '@google/genai';
import { MeshError } from '@agentmesh/lib/rpc';
import type { Models } from '../models/index.ts';
import { builtInTools, echoTools, flowTools, type ToolDeps } from '../tools/index.ts';
import type { AgentDefinition, LlmAgentDefinition } from './agent-definition.ts';
import { AnsweringLlm } from './answering-llm.ts';
import { camelCaseKeys } from './camel-case-keys.ts';
import type { AgentFile } from './load-agent-files.ts';
import { requestProcessors } from './request-processors.ts';

/** What agents are made of. */
export interface AgentParts {
  readonly models: Models;
  readonly toolDeps: ToolDeps;
  /** Most model calls of a run. */
  readonly maxModelCalls: number;
}

/** Makes the agent tree of an app. Throws AppFileError for a model or tool that this mesh does not have. */
export function buildAgent(file: AgentFile, parts: AgentParts): BaseAgent {
  return build(file, parts, false);
}

function build(file: AgentFile, parts: AgentParts, inheritsModel: boolean): BaseAgent {
  const { definition } = file;
  const givesModel = inheritsModel || isLlmDefinition(definition);
  const subAgents = file.subAgents.map((subAgent) => build(subAgent, parts, givesModel));
  const config = { name: definition.name, description: definition.description ?? '', subAgents };
  if (isLlmDefinition(definition)) {
    const agent = new LlmAgent({ ...config, ...llmConfig(file, definition, { parts, inheritsModel }) });
    agent.requestProcessors = requestProcessors(agent.requestProcessors);
    return agent;
  }
  switch (definition.agent_class) {
    case 'SequentialAgent':
      return new SequentialAgent(config);
    case 'ParallelAgent':
      return new ParallelAgent(config);
    case 'LoopAgent':
      return new LoopAgent({ ...config, maxIterations: iterations(definition.max_iterations, parts) });
  }
}

function isLlmDefinition(definition: AgentDefinition): definition is LlmAgentDefinition {
  return definition.agent_class === undefined || definition.agent_class === 'LlmAgent';
}

/**
 * Every iteration calls a model at least once, so more iterations than calls are never reached; and an aborted LoopAgent of
 * ADK 2.0.0 turns on without yielding, for as many iterations as it has left.
 */
function iterations(wanted: number | undefined, { maxModelCalls }: AgentParts): number {
  return Math.min(wanted ?? Infinity, maxModelCalls + 1);
}

function llmConfig(
  file: AgentFile,
  definition: LlmAgentDefinition,
  { parts, inheritsModel }: { parts: AgentParts; inheritsModel: boolean },
): Partial<LlmAgentConfig> {
  if (definition.model === undefined && !inheritsModel) throw file.fail(['model'], 'is required');
  const optional = {
    ...(definition.model === undefined ? {} : { model: resolveModel(file, definition.model, parts) }),
    ...(definition.output_key === undefined ? {} : { outputKey: definition.output_key }),
    ...(definition.include_contents === undefined ? {} : { includeContents: definition.include_contents }),
  };
  return {
    ...optional,
    instruction: definition.instruction ?? '',
    tools: resolveTools(file, definition, parts),
    generateContentConfig: generateContentConfig(file, definition),
    disallowTransferToParent: definition.disallow_transfer_to_parent ?? false,
    disallowTransferToPeers: definition.disallow_transfer_to_peers ?? false,
  };
}

function resolveModel(file: AgentFile, name: string, { models }: AgentParts): AnsweringLlm {
  try {
    return new AnsweringLlm(models.resolve(name));
  } catch (error) {
    if (error instanceof MeshError) throw file.fail(['model'], error.message);
    throw error;
  }
}

function resolveTools(file: AgentFile, definition: LlmAgentDefinition, { toolDeps }: AgentParts): BaseTool[] {
  const tools = new Map<string, BaseTool>();
  for (const [index, { name }] of (definition.tools ?? []).entries()) {
    if (flowTools.has(name)) continue;
    const create = builtInTools.get(name);
    if (create === undefined) throw file.fail(['tools', index], `"${name}" is not a tool of this mesh`);
    tools.set(name, create(toolDeps));
  }
  for (const name of definition.model?.startsWith('echo/') ? echoTools : []) {
    const create = builtInTools.get(name);
    if (create !== undefined) tools.set(name, create(toolDeps));
  }
  return [...tools.values()];
}

/** Set through keys of their own, or by the loop. */
const ownKeys = ['tools', 'systemInstruction', 'responseSchema'];

function generateContentConfig(file: AgentFile, definition: LlmAgentDefinition): GenerateContentConfig {
  const config = camelCaseKeys(definition.generate_content_config ?? {}) as GenerateContentConfig;
  const refused = ownKeys.find((key) => key in config);
  if (refused !== undefined) throw file.fail(['generate_content_config'], `must not hold ${refused}`);
  return config;
}
