import { type BaseAgent, type BaseAgentConfig, LlmAgent } from '@google/adk/core';
import { OwnClassFile } from '../../definition/agent-definition.ts';
import { type AgentParts, codeOf } from './agent-parts.ts';
import { camelCaseKeys } from './camel-case-keys.ts';
import { llmConfig, type LlmMaterial, makeTools } from './llm-config.ts';

type AgentClass = new (config: object) => BaseAgent;

/**
 * Makes an agent of a class of the app. Its constructor takes one object, as those of ADK: the keys of the file in camelCase, with the
 * sub-agents, callbacks and tools made already, and for a subclass of LlmAgent its model too.
 */
export function makeOfOwnClass(material: LlmMaterial, config: BaseAgentConfig, parts: AgentParts): BaseAgent {
  const { definition } = material;
  const Class = codeOf(definition.agent_class ?? '', parts) as AgentClass;
  const known = new Set(['agent_class', 'metadata']);
  if (Class.prototype instanceof LlmAgent) {
    for (const key of Object.keys(OwnClassFile.properties)) known.add(key);
    return new Class({ ...ownKeys(definition, known), ...config, ...llmConfig(material, parts) });
  }
  const tools = definition.tools && { tools: makeTools(material, parts) };
  return new Class({ ...ownKeys(definition, known), ...config, ...tools });
}

function ownKeys(definition: object, known: ReadonlySet<string>): object {
  const own = Object.entries(definition).filter(([key]) => !known.has(key));
  return camelCaseKeys(Object.fromEntries(own)) as object;
}
