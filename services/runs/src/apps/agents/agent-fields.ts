import Type, { type Static } from 'typebox';
import { rootKeys } from '../definition/settings/root-keys.ts';
import { McpServerField } from './mcp-servers.ts';

/** Types of agents; `base` is another word for `llm`. */
const agentTypes = ['llm', 'base', 'router', 'sequential', 'parallel', 'loop'] as const;

const maybe = { text: Type.Optional(Type.String()), flag: Type.Optional(Type.Boolean()) };
const map = Type.Optional(Type.Unsafe<Record<string, unknown>>(Type.Object({})));
const texts = Type.Optional(Type.Array(Type.String()));

const mostOfName = 256;

/** Fields that the server uses to build ADK's agent. */
const used = {
  agent_name: Type.String({ minLength: 1, maxLength: 100 }),
  /** One model, or up to five: the next one takes over when one fails. Empty for an agent without a model. */
  agent_model: Type.Unsafe<string | string[]>({
    type: ['string', 'array'],
    maxLength: mostOfName,
    items: { type: 'string', minLength: 1, maxLength: mostOfName },
    minItems: 1,
    maxItems: 5,
  }),
  model_retries: Type.Optional(Type.Integer({ minimum: 0, maximum: 4 })),
  agent_description: Type.String(),
  agent_instruction: Type.String(),
  agent_type: Type.Enum([...agentTypes]),
  agent_model_params: map,
  agent_tools: texts,
  /** Those of `agent_tools` that ask for approval before each call. */
  confirm_tools: texts,
  mcp_servers: Type.Optional(Type.Array(McpServerField, { maxItems: 10 })),
  /** Each `agent<N>`. */
  sub_agents: texts,
  loop_max_iterations: Type.Optional(Type.Integer({ minimum: 1 })),
  output_key: maybe.text,
  include_contents: Type.Optional(Type.Enum(['default', 'none'])),
  generate_content_config: map,
  disallow_transfer_to_parent: maybe.flag,
  disallow_transfer_to_peers: maybe.flag,
  ...rootKeys,
};

/** Fields of the UI that are kept and answered, and that no agent is made of. */
const kept = {
  agent_skills: Type.Optional(Type.Array(Type.Unknown())),
  tags: Type.Optional(Type.Array(Type.Unknown())),
  input_schema: Type.Optional(Type.Unknown()),
  output_schema: Type.Optional(Type.Unknown()),
  output_schema_name: maybe.text,
  memory_enabled: maybe.flag,
  artifacts_enabled: maybe.flag,
  superagent_template_id: Type.Optional(Type.Unknown()),
  loop_exit_instruction: maybe.text,
  hub_origin_id: Type.Optional(Type.Unknown()),
  project_id: Type.Optional(Type.Unknown()),
};

/** The fields of an agent as they are stored. Keys that are null are left out. */
export const AgentFields = Type.Object({ ...used, ...kept });
export type AgentFields = Static<typeof AgentFields>;

/** Fields of the UI that would change what an agent does, and that are not supported: they must be empty. */
export const unsupportedFields = ['guardrails_config', 'code_executor', 'skip_when_upstream'] as const;

/** Keys of `agent_model_params`, with the setting of ADK that each becomes. */
export const modelParams: ReadonlyMap<string, string> = new Map([
  ['temperature', 'temperature'],
  ['top_p', 'top_p'],
  ['top_k', 'top_k'],
  ['max_tokens', 'max_output_tokens'],
  ['max_output_tokens', 'max_output_tokens'],
  ['stop', 'stop_sequences'],
  ['stop_sequences', 'stop_sequences'],
  ['seed', 'seed'],
  ['presence_penalty', 'presence_penalty'],
  ['frequency_penalty', 'frequency_penalty'],
]);

/** The models of an agent, in the order in which they are asked. */
export function modelsOfFields({ agent_model: model }: Pick<AgentFields, 'agent_model'>): readonly string[] {
  return model === '' ? [] : [model].flat();
}
