import type { LlmAgentConfig } from '@google/adk/core';
import type { AgentDefinition } from '../../definition/agent-definition.ts';

/** The keys of callbacks in a file, and their names in ADK. */
const callbackKeys = {
  before_agent_callbacks: 'beforeAgentCallback',
  after_agent_callbacks: 'afterAgentCallback',
  before_model_callbacks: 'beforeModelCallback',
  after_model_callbacks: 'afterModelCallback',
  before_tool_callbacks: 'beforeToolCallback',
  after_tool_callbacks: 'afterToolCallback',
} as const;

type CallbackKey = keyof typeof callbackKeys;
type Callbacks = Pick<LlmAgentConfig, (typeof callbackKeys)[CallbackKey]>;

/** A callback that an agent names. */
export interface NamedCallback {
  readonly key: CallbackKey;
  readonly index: number;
  readonly name: string;
}

/** All callbacks of an agent, in the order of its file. */
export function namedCallbacks(definition: AgentDefinition): NamedCallback[] {
  return Object.keys(callbackKeys).flatMap((key) => {
    const named = (Reflect.get(definition, key) ?? []) as readonly { name: string }[];
    return named.map(({ name }, index) => ({ key: key as CallbackKey, index, name }));
  });
}

/** ADK's configuration of an agent's callbacks. `find` returns the function of a name. */
export function callbacksOf(definition: AgentDefinition, find: (name: string) => unknown): Callbacks {
  const config: Record<string, unknown[]> = {};
  for (const { key, name } of namedCallbacks(definition)) (config[callbackKeys[key]] ??= []).push(find(name));
  return config;
}
