import { type BaseAgent, isBaseAgent, isBaseLlm, isLlmAgent } from '@google/adk/core';
import { printAppInfo } from '../../../building/app-info.ts';
import type { Loaded, LoadRequest } from '../../protocol.ts';
import type { Root } from './root.ts';

/** The public facts of an app that was loaded. */
export function describeRoot(root: Root, { appName, definition, entry }: LoadRequest): Omit<Loaded, 'kind' | 'files'> {
  const agent = isBaseAgent(root) ? root : undefined;
  const language = entry === undefined ? 'yaml' : languageOf(entry);
  const infoJson = agent && printAppInfo({ name: appName, root: agent, file: definition, language });
  return {
    rootName: root.name,
    description: root.description ?? '',
    graphJson: print({ name: appName, root_agent: agent ? graphOf(agent) : { name: root.name, type: 'agent' } }),
    ...(infoJson && { infoJson }),
  };
}

/** The language of a root file by its name. */
export function languageOf(file: string): 'typescript' | 'javascript' {
  return /\.[mc]?ts$/.test(file) ? 'typescript' : 'javascript';
}

/** Keys with an undefined value are left out of the JSON. */
function graphOf(agent: BaseAgent): object {
  const { name, description, subAgents } = agent;
  const tools = isLlmAgent(agent) ? agent.tools.filter((tool) => 'name' in tool) : [];
  return {
    name,
    type: 'agent',
    description: description === '' ? undefined : description,
    model: isLlmAgent(agent) ? modelName(agent.model) : undefined,
    tools: tools.length === 0 ? undefined : tools.map((tool) => ({ name: tool.name, type: 'tool' })),
    sub_agents: subAgents.length === 0 ? undefined : subAgents.map(graphOf),
  };
}

function modelName(model: unknown): unknown {
  return isBaseLlm(model) ? model.model : model;
}

function print(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
