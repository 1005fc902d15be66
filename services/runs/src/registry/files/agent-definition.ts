import Type, { type Static } from 'typebox';
import { toolNames } from '../../tools/index.ts';
import { ModelConfig } from './model-config.ts';

const strict = { additionalProperties: false };
const NonEmpty = Type.String({ minLength: 1 });
const SubAgents = Type.Array(Type.Object({ config_path: NonEmpty }, strict));

const everyAgent = {
  name: NonEmpty,
  description: Type.Optional(Type.String()),
};

const LlmAgentFile = Type.Object(
  {
    ...everyAgent,
    agent_class: Type.Optional(Type.Literal('LlmAgent')),
    model: Type.Optional(NonEmpty),
    instruction: Type.Optional(Type.String()),
    sub_agents: Type.Optional(SubAgents),
    tools: Type.Optional(Type.Array(Type.Object({ name: Type.Enum([...toolNames]) }, strict))),
    output_key: Type.Optional(NonEmpty),
    include_contents: Type.Optional(Type.Enum(['default', 'none'])),
    generate_content_config: Type.Optional(ModelConfig),
    disallow_transfer_to_parent: Type.Optional(Type.Boolean()),
    disallow_transfer_to_peers: Type.Optional(Type.Boolean()),
  },
  strict,
);

// A workflow without agents would loop without ever yielding.
const workers = { sub_agents: Type.Array(SubAgents.items, { minItems: 1 }) };

const SequentialAgentFile = Type.Object(
  { ...everyAgent, ...workers, agent_class: Type.Literal('SequentialAgent') },
  strict,
);
const ParallelAgentFile = Type.Object(
  { ...everyAgent, ...workers, agent_class: Type.Literal('ParallelAgent') },
  strict,
);
const LoopAgentFile = Type.Object(
  {
    ...everyAgent,
    ...workers,
    agent_class: Type.Literal('LoopAgent'),
    max_iterations: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  strict,
);

/** The schema of a file by its `agent_class`. */
export const agentSchemas = {
  LlmAgent: LlmAgentFile,
  SequentialAgent: SequentialAgentFile,
  ParallelAgent: ParallelAgentFile,
  LoopAgent: LoopAgentFile,
};

export type AgentClass = keyof typeof agentSchemas;
export type LlmAgentDefinition = Static<typeof LlmAgentFile>;
/** One agent as its YAML file gives it, with ADK's keys. */
export type AgentDefinition =
  | LlmAgentDefinition
  | Static<typeof SequentialAgentFile>
  | Static<typeof ParallelAgentFile>
  | Static<typeof LoopAgentFile>;

/** A file without `agent_class` holds an LlmAgent. */
export function isLlmDefinition(definition: AgentDefinition): definition is LlmAgentDefinition {
  return definition.agent_class === undefined || definition.agent_class === 'LlmAgent';
}
