import type { AgentClass } from '../definition/agent-definition.ts';
import type { AgentFields } from './agent-fields.ts';
import { toToolEntry } from './mcp-servers.ts';
import { modelConfigOf } from './model-settings.ts';

export const agentClasses: Readonly<Record<AgentFields['agent_type'], AgentClass>> = {
  llm: 'LlmAgent',
  base: 'LlmAgent',
  router: 'LlmAgent',
  sequential: 'SequentialAgent',
  parallel: 'ParallelAgent',
  loop: 'LoopAgent',
};

/** The keys that a `root_agent.yaml` of this agent has. Each sub-agent is a file that is named after its app. */
export function toDefinition(fields: AgentFields, name: string): Record<string, unknown> {
  const agentClass = agentClasses[fields.agent_type];
  const runs = pickKeys(fields, runKeys);
  const common = { name, agent_class: agentClass, description: fields.agent_description, ...runs };
  const files = (fields.sub_agents ?? []).map((app) => ({ config_path: `${app}.yaml` }));
  if (agentClass !== 'LlmAgent') {
    const iterations = agentClass === 'LoopAgent' ? fields.loop_max_iterations : undefined;
    return { ...common, sub_agents: files, ...(iterations !== undefined && { max_iterations: iterations }) };
  }
  const config = modelConfigOf(fields);
  const asking = new Set(fields.confirm_tools);
  const named = (fields.agent_tools ?? []).map((tool) => ({
    name: tool,
    ...(asking.has(tool) && { require_confirmation: true }),
  }));
  const tools = [...named, ...(fields.mcp_servers ?? []).map(toToolEntry)];
  return {
    ...common,
    model: fields.agent_model,
    instruction: fields.agent_instruction,
    ...(files.length > 0 && { sub_agents: files }),
    ...(tools.length > 0 && { tools }),
    ...(Object.keys(config).length > 0 && { generate_content_config: config }),
    ...pickKeys(fields, sharedKeys),
  };
}

/** Fields that have the same name in a file. */
export const sharedKeys = [
  'model_retries',
  'output_key',
  'include_contents',
  'disallow_transfer_to_parent',
  'disallow_transfer_to_peers',
] as const;

/** Keys that agents of every class have: they are about the runs of the app. */
export const runKeys = [
  'multitask',
  'on_disconnect',
  'run_limits',
  'answer_timeout_seconds',
  'default_answer',
  'answer_mail',
  'resumable',
  'retention',
  'events_compaction_config',
] as const;

function pickKeys(fields: AgentFields, keys: readonly (keyof AgentFields)[]): Record<string, unknown> {
  return Object.fromEntries(
    keys.filter((key) => fields[key] !== undefined && fields[key] !== '').map((key) => [key, fields[key]]),
  );
}
