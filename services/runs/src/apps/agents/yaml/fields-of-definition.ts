import { isLlmDefinition, type LocalDefinition } from '../../definition/agent-definition.ts';
import type { AgentFields } from '../agent-fields.ts';
import { toMcpServer } from '../mcp-servers.ts';
import { runKeys, sharedKeys } from '../to-definition.ts';

const types = { LlmAgent: 'llm', SequentialAgent: 'sequential', ParallelAgent: 'parallel', LoopAgent: 'loop' } as const;

/** The fields that the keys of a file amount to. `subAgentOf` names the agent that a `config_path` stands for. */
export function fieldsOfDefinition(
  definition: LocalDefinition,
  subAgentOf: (configPath: string) => string,
): AgentFields {
  const { name, description = '', sub_agents: files = [] } = definition;
  const common = {
    agent_name: name,
    agent_description: description,
    agent_type: types[definition.agent_class ?? 'LlmAgent'],
    ...(files.length > 0 && { sub_agents: files.map((file) => subAgentOf(file.config_path ?? '')) }),
    ...given(definition, runKeys),
  };
  if (!isLlmDefinition(definition)) {
    const iterations = 'max_iterations' in definition ? definition.max_iterations : undefined;
    const loop = iterations === undefined ? {} : { loop_max_iterations: iterations };
    return { ...common, agent_model: '', agent_instruction: '', ...loop };
  }
  const { instruction = '', tools, generate_content_config: config } = definition;
  const named = (tools ?? []).filter(({ args }) => args === undefined);
  const asking = named.filter(({ require_confirmation: asks }) => asks === true);
  const servers = (tools ?? []).map(toMcpServer).filter((server) => server !== undefined);
  return {
    ...common,
    agent_model: definition.model ?? '',
    agent_instruction: instruction,
    ...(tools !== undefined && { agent_tools: named.map(({ name }) => name) }),
    ...(asking.length > 0 && { confirm_tools: asking.map(({ name }) => name) }),
    ...(servers.length > 0 && { mcp_servers: servers }),
    ...(config !== undefined && { generate_content_config: config }),
    ...given(definition, sharedKeys),
  };
}

/** Those of the keys that have a value. */
function given<T extends object>(definition: T, keys: readonly (keyof T)[]): Record<string, unknown> {
  return Object.fromEntries(keys.filter((key) => definition[key] !== undefined).map((key) => [key, definition[key]]));
}
