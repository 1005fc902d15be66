import {
  type BaseAgent,
  type BaseAgentConfig,
  LlmAgent,
  LoopAgent,
  ParallelAgent,
  SequentialAgent,
} from '@google/adk/core';
import { CallerNote } from '../../../models/use/model-caller.ts';
import { REQUEST_CREDENTIAL } from '../../tools/request-credential.ts';
import {
  isLlmDefinition,
  isOwnClass,
  type LlmAgentDefinition,
  modelsOf,
  type OwnClassDefinition,
  type RemoteAgentDefinition,
} from '../../definition/agent-definition.ts';
import type { AgentFile } from '../../files/load-agent-files.ts';
import { agentOfTool } from '../../entries/agent-tool-args.ts';
import { type AgentParts, codeOf } from './agent-parts.ts';
import { callbacksOf } from './callbacks.ts';
import { CredentialAnswers } from './credential-answers.ts';
import { llmConfig, type LlmMaterial } from './llm-config.ts';
import { makeOfOwnClass } from './own-class.ts';
import { requestProcessors } from './request-processors.ts';
import { requireState } from './require-state.ts';
import { withStaticInstruction } from './static-instruction.ts';

/** Makes the agent tree of an app from files without mistakes. */
export function buildAgent(appName: string, agentFile: AgentFile, parts: AgentParts): BaseAgent {
  const { definition, access } = agentFile;
  const callbacks = callbacksOf(definition, (name) => codeOf(name, parts));
  const subAgents = makeSubAgents(appName, agentFile, parts);
  const config = { name: definition.name, description: definition.description ?? '', subAgents, ...callbacks };
  if (definition.agent_class === 'RemoteA2aAgent') return makeRemote(definition, config, parts);
  // Only code of apps has plugins.
  const mayHavePlugins = parts.findCode !== undefined;
  const toolAgent = (index: number) => makeToolAgent(appName, agentFile, { parts, index });
  if (isOwnClass(definition)) {
    const agent = makeOfOwnClass({ appName, definition, access, toolAgent }, config, parts);
    if (agent instanceof LlmAgent) addProcessors(agent, { appName, agentFile, definition, mayHavePlugins });
    return agent;
  }
  if (isLlmDefinition(definition)) {
    const material: LlmMaterial = { appName, definition, access, toolAgent };
    const agent = new LlmAgent({ ...config, ...llmConfig(material, parts) });
    addProcessors(agent, { appName, agentFile, definition, mayHavePlugins });
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

/** Agents of files and of code, in the order of the file. */
function makeSubAgents(appName: string, { definition, subAgents }: AgentFile, parts: AgentParts): BaseAgent[] {
  const made = subAgents.map((subAgent) => buildAgent(appName, subAgent, parts));
  const items = 'sub_agents' in definition ? (definition.sub_agents ?? []) : [];
  for (const [index, { code }] of items.entries()) {
    if (code !== undefined) made.splice(index, 0, codeOf(code, parts) as BaseAgent);
  }
  return made;
}

function makeToolAgent(
  appName: string,
  { definition, toolAgents }: AgentFile,
  { parts, index }: { readonly parts: AgentParts; readonly index: number },
): BaseAgent {
  const file = toolAgents?.get(index);
  if (file !== undefined) return buildAgent(appName, file, parts);
  const entry = 'tools' in definition ? definition.tools?.[index] : undefined;
  const code = entry && agentOfTool(entry)?.code;
  if (code === undefined) throw new Error(`The agent of tools.${index} was not loaded.`);
  return codeOf(code, parts) as BaseAgent;
}

interface Processed {
  readonly appName: string;
  readonly agentFile: AgentFile;
  readonly definition: LlmAgentDefinition | OwnClassDefinition;
  readonly mayHavePlugins: boolean;
}

function addProcessors(agent: LlmAgent, { appName, agentFile: { file }, definition, mayHavePlugins }: Processed): void {
  const { instruction = '', tools, static_instruction: fixed } = definition;
  const models = modelsOf(definition);
  const required = requireState({ appName, agentName: agent.name, file, instruction });
  const asks = tools?.some(({ name }) => name === REQUEST_CREDENTIAL) === true;
  const answers = asks ? [new CredentialAnswers()] : [];
  // Models without a network need no permission and are not counted.
  const isLocal = models.length > 0 && models.every((name) => name.startsWith('echo/'));
  const notes = isLocal ? [] : [new CallerNote()];
  const usual = requestProcessors(agent, { mayHavePlugins });
  const steps = fixed === undefined ? usual : withStaticInstruction(usual, fixed);
  agent.requestProcessors = [...required, ...answers, ...notes, ...steps];
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
