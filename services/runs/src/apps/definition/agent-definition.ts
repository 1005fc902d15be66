import Type, { type Static } from 'typebox';
import { type DottedName, isDotted } from './dotted.ts';
import { ModelConfig } from './model-config.ts';
import { remoteKeys } from './remote-keys.ts';
import { rootKeys } from './settings/root-keys.ts';

const strict = { additionalProperties: false };
const NonEmpty = Type.String({ minLength: 1 });
/** Either a file, or an agent that a module of the app exports. */
const SubAgents = Type.Array(
  Type.Object({ config_path: Type.Optional(NonEmpty), code: Type.Optional(NonEmpty) }, strict),
);

const ToolItem = Type.Object(
  {
    name: NonEmpty,
    args: Type.Optional(Type.Object({})),
    require_confirmation: Type.Optional(Type.Boolean()),
    required: Type.Optional(Type.Boolean()),
  },
  strict,
);

/** A JSON Schema, or Gemini's dialect of it; or the name of a schema that a module exports. */
const JsonSchema = Type.Object({
  type: Type.Optional(Type.Enum(['object', 'OBJECT', 'array', 'ARRAY', 'string', 'STRING'])),
  name: Type.Optional(NonEmpty),
});

/** An export of the app's modules, e.g. `callbacks.check`. */
const CodeReference = Type.Object({ name: NonEmpty }, strict);
const Callbacks = Type.Array(CodeReference);

const everyAgent = {
  name: NonEmpty,
  description: Type.Optional(Type.String()),
  /** Fields of an agent under /api/agents that ADK has no key for. Agents of files ignore them. */
  metadata: Type.Optional(Type.Object({})),
  ...rootKeys,
  before_agent_callbacks: Type.Optional(Callbacks),
  after_agent_callbacks: Type.Optional(Callbacks),
};

/** One model, or several: the next one takes over when one fails. */
export const Model = Type.Unsafe<string | string[]>({
  type: ['string', 'array'],
  minLength: 1,
  items: NonEmpty,
  minItems: 1,
  maxItems: 5,
});

const llmKeys = {
  model: Type.Optional(Model),
  model_retries: Type.Optional(Type.Integer({ minimum: 0, maximum: 4 })),
  model_code: Type.Optional(CodeReference),
  instruction: Type.Optional(Type.String()),
  sub_agents: Type.Optional(SubAgents),
  tools: Type.Optional(Type.Array(ToolItem)),
  static_instruction: Type.Optional(NonEmpty),
  input_schema: Type.Optional(JsonSchema),
  output_schema: Type.Optional(JsonSchema),
  output_key: Type.Optional(NonEmpty),
  include_contents: Type.Optional(Type.Enum(['default', 'none'])),
  generate_content_config: Type.Optional(ModelConfig),
  disallow_transfer_to_parent: Type.Optional(Type.Boolean()),
  disallow_transfer_to_peers: Type.Optional(Type.Boolean()),
  before_model_callbacks: Type.Optional(Callbacks),
  after_model_callbacks: Type.Optional(Callbacks),
  before_tool_callbacks: Type.Optional(Callbacks),
  after_tool_callbacks: Type.Optional(Callbacks),
};

const LlmAgentFile = Type.Object(
  { ...everyAgent, ...llmKeys, agent_class: Type.Optional(Type.Literal('LlmAgent')) },
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
const iterations = Type.Optional(Type.Integer({ minimum: 1 }));
const LoopAgentFile = Type.Object(
  {
    ...everyAgent,
    ...workers,
    agent_class: Type.Literal('LoopAgent'),
    max_iterations: iterations,
  },
  strict,
);

const RemoteAgentFile = Type.Object(
  { ...everyAgent, ...remoteKeys, agent_class: Type.Literal('RemoteA2aAgent') },
  strict,
);

/** An agent of a class of the app. It may have the keys of ADK's classes, and keys of its own. */
export const OwnClassFile = Type.Object({
  ...everyAgent,
  ...llmKeys,
  agent_class: Type.Unsafe<DottedName>(Type.String({ pattern: '\\.' })),
  max_iterations: iterations,
});

/** The schema of a file by its `agent_class`. */
export const agentSchemas = {
  LlmAgent: LlmAgentFile,
  SequentialAgent: SequentialAgentFile,
  ParallelAgent: ParallelAgentFile,
  LoopAgent: LoopAgentFile,
  RemoteA2aAgent: RemoteAgentFile,
};

/** Keys of ADK for Python that files must not have here, with the key to use instead; undefined where there is none. */
export const unsupportedKeys: ReadonlyMap<string, string | undefined> = new Map([
  ['global_instruction', 'instruction'],
  ['planner', 'thinking_config in generate_content_config'],
  ['code_executor', undefined],
]);

export type AgentClass = keyof typeof agentSchemas;
export type LlmAgentDefinition = Static<typeof LlmAgentFile>;
export type RemoteAgentDefinition = Static<typeof RemoteAgentFile>;
export type OwnClassDefinition = Static<typeof OwnClassFile>;
/** One agent as its YAML file gives it, with ADK's keys. */
export type AgentDefinition =
  | LlmAgentDefinition
  | Static<typeof SequentialAgentFile>
  | Static<typeof ParallelAgentFile>
  | Static<typeof LoopAgentFile>
  | RemoteAgentDefinition
  | OwnClassDefinition;

/** An agent of a class that is built in, which can be a record. */
export type LocalDefinition = Exclude<AgentDefinition, RemoteAgentDefinition | OwnClassDefinition>;

/** A file without `agent_class` holds an LlmAgent. */
export function isLlmDefinition(definition: AgentDefinition): definition is LlmAgentDefinition {
  return definition.agent_class === undefined || definition.agent_class === 'LlmAgent';
}

/** Whether a module of the app exports the class of the agent. */
export function isOwnClass(definition: AgentDefinition): definition is OwnClassDefinition {
  return isDotted(definition.agent_class);
}

/** The models of an agent, in the order in which they are asked; none when it has the model of an agent above. */
export function modelsOf(definition: AgentDefinition): readonly string[] {
  const model = 'model' in definition ? definition.model : undefined;
  return model === undefined ? [] : [model].flat();
}
