import {
  type BaseAgent,
  type BaseAgentConfig,
  type BaseTool,
  type BaseToolset,
  isBaseToolset,
  LlmAgent,
  type LlmAgentConfig,
  LoopAgent,
  ParallelAgent,
  SequentialAgent,
} from '@google/adk';
import type { GenerateContentConfig, Schema } from '@google/genai';
import type { Models } from '../../models/models.ts';
import { CallerNote } from '../../models/use/model-caller.ts';
import { echoTools } from '../../tools/echo-tools.ts';
import { REQUEST_CREDENTIAL } from '../../tools/request-credential.ts';
import { isLlmDefinition, type LlmAgentDefinition, type RemoteAgentDefinition } from '../files/agent-definition.ts';
import type { AgentFile } from '../files/load-agent-files.ts';
import type { ToolEntry, ToolPlace } from '../tools/tool-resolver.ts';
import type { ToolResolvers } from '../tools/tool-resolvers.ts';
import { guardTool, type ToolHooks } from '../tools/guard-tool.ts';
import { AnsweringLlm } from './answering-llm.ts';
import { callbacksOf } from './callbacks.ts';
import { camelCaseKeys } from './camel-case-keys.ts';
import { CredentialAnswers } from './credential-answers.ts';
import type { RemoteAgents } from './remote-agents.ts';
import { requestProcessors } from './request-processors.ts';
import { withStaticInstruction } from './static-instruction.ts';
import { requireState } from './require-state.ts';

/** The parts that agents are made of. */
export interface AgentParts {
  readonly models: Models;
  readonly tools: ToolResolvers;
  /** Agents that run elsewhere. Absent: no agent may be of that class. */
  readonly remoteAgents?: Pick<RemoteAgents, 'make'>;
  /** Longest time in milliseconds that a tool may take. */
  readonly toolTimeoutMs: number;
  /** Called around each call of a tool. */
  readonly toolHooks?: ToolHooks;
  /** Finds the functions of callbacks. Absent where no code of apps runs. */
  readonly findCallback?: (name: string) => unknown;
  /** Most model calls of a run. */
  readonly maxModelCalls: number;
}

const codeElsewhere = (name: string): never => {
  throw new Error(`The callback "${name}" is code of an app, which runs in a worker.`);
};

/** Makes the agent tree of an app from files without mistakes. */
export function buildAgent(appName: string, agentFile: AgentFile, parts: AgentParts): BaseAgent {
  const { definition, file } = agentFile;
  const subAgents = agentFile.subAgents.map((subAgent) => buildAgent(appName, subAgent, parts));
  const callbacks = callbacksOf(definition, parts.findCallback ?? codeElsewhere);
  const config = { name: definition.name, description: definition.description ?? '', subAgents, ...callbacks };
  if (definition.agent_class === 'RemoteA2aAgent') return makeRemote(definition, config, parts);
  if (isLlmDefinition(definition)) {
    const agent = new LlmAgent({ ...config, ...llmConfig(definition, parts, { appName, access: agentFile.access }) });
    const required = requireState({ appName, agentName: agent.name, file, instruction: definition.instruction ?? '' });
    const asks = definition.tools?.some(({ name }) => name === REQUEST_CREDENTIAL) === true;
    const answers = asks ? [new CredentialAnswers()] : [];
    // Models without a network need no permission and are not counted.
    const notes = definition.model?.startsWith('echo/') ? [] : [new CallerNote()];
    const usual = requestProcessors(agent.requestProcessors);
    const { static_instruction: fixed } = definition;
    const steps = fixed === undefined ? usual : withStaticInstruction(usual, fixed);
    agent.requestProcessors = [...required, ...answers, ...notes, ...steps];
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

function makeRemote(
  definition: RemoteAgentDefinition,
  config: BaseAgentConfig,
  { remoteAgents }: AgentParts,
): BaseAgent {
  if (remoteAgents === undefined) throw new Error('This app can have no agents that run elsewhere.');
  return remoteAgents.make(definition, config);
}

/**
 * Every iteration calls a model at least once, so more iterations than calls are never reached. Without a limit, an aborted
 * LoopAgent of ADK 2.0.0 goes on without yielding for as many iterations as it has left.
 */
function iterations(wanted: number | undefined, { maxModelCalls }: AgentParts): number {
  return Math.min(wanted ?? Infinity, maxModelCalls + 1);
}

function llmConfig(
  definition: LlmAgentDefinition,
  { models, tools, toolTimeoutMs, toolHooks }: AgentParts,
  { appName, access }: { readonly appName: string; readonly access: AgentFile['access'] },
): Partial<LlmAgentConfig> {
  const { model, output_key: outputKey, include_contents: includeContents } = definition;
  const { output_schema: outputSchema, input_schema: inputSchema } = definition;
  return {
    ...(model !== undefined && { model: new AnsweringLlm(models.resolve(model, access)) }),
    ...(outputKey !== undefined && { outputKey }),
    ...(outputSchema !== undefined && { outputSchema: outputSchema as Schema }),
    ...(inputSchema !== undefined && { inputSchema: inputSchema as Schema }),
    ...(includeContents !== undefined && { includeContents }),
    instruction: definition.instruction ?? '',
    tools: resolveTools(definition, tools, { appName, agentName: definition.name }).map((tool) =>
      guardTool(tool, { timeoutMs: toolTimeoutMs, ...toolHooks }),
    ),
    generateContentConfig: camelCaseKeys(definition.generate_content_config ?? {}) as GenerateContentConfig,
    disallowTransferToParent: definition.disallow_transfer_to_parent ?? false,
    disallowTransferToPeers: definition.disallow_transfer_to_peers ?? false,
  };
}

/** A tool without settings that is named twice counts once. Toolsets come last: their tools give way to others of the same name. */
function resolveTools(
  { tools: entries = [], model }: LlmAgentDefinition,
  tools: ToolResolvers,
  place: ToolPlace,
): (BaseTool | BaseToolset)[] {
  const given: ToolEntry[] = model?.startsWith('echo/') ? echoTools.map((name) => ({ name })) : [];
  const wanted = new Map([...given, ...entries].map((entry) => [entry.args ?? entry.name, entry]));
  const made = Array.from(wanted.values(), (entry) => tools.make(entry, place)).filter((tool) => tool !== undefined);
  return made.toSorted((a, b) => Number(isBaseToolset(a)) - Number(isBaseToolset(b)));
}
