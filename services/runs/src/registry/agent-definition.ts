import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import type { AppFileError } from './app-file-error.ts';
import { ModelConfig } from './model-config.ts';
import type { YamlFile } from './parse-yaml.ts';

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
    tools: Type.Optional(Type.Array(Type.Object({ name: NonEmpty }, strict))),
    output_key: Type.Optional(NonEmpty),
    include_contents: Type.Optional(Type.Enum(['default', 'none'])),
    generate_content_config: Type.Optional(ModelConfig),
    disallow_transfer_to_parent: Type.Optional(Type.Boolean()),
    disallow_transfer_to_peers: Type.Optional(Type.Boolean()),
  },
  strict,
);

// A workflow without agents would turn in place for ever.
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

const classes = {
  LlmAgent: LlmAgentFile,
  SequentialAgent: SequentialAgentFile,
  ParallelAgent: ParallelAgentFile,
  LoopAgent: LoopAgentFile,
};

export type LlmAgentDefinition = Static<typeof LlmAgentFile>;
/** One agent as its YAML file gives it, with ADK's keys. */
export type AgentDefinition =
  | LlmAgentDefinition
  | Static<typeof SequentialAgentFile>
  | Static<typeof ParallelAgentFile>
  | Static<typeof LoopAgentFile>;

/** ADK's own rule for names. */
const agentName = /^[\p{ID_Start}$_][\p{ID_Continue}$_-]*$/u;

/** Checks a parsed file. Throws AppFileError for the first key that is unknown, missing or of the wrong kind. */
export function readDefinition(yaml: YamlFile): AgentDefinition {
  const value = withToolNames(asMap(yaml));
  const agentClass = value.agent_class ?? 'LlmAgent';
  if (!isAgentClass(agentClass)) {
    throw yaml.fail(['agent_class'], `must be one of ${Object.keys(classes).join(', ')}`);
  }
  const schema = classes[agentClass];
  if (!Value.Check(schema, value)) throw firstMistake(yaml, Value.Errors(schema, value));
  const definition: AgentDefinition = value;
  if (!agentName.test(definition.name) || definition.name === 'user') {
    throw yaml.fail(['name'], 'must begin with a letter, hold only letters, digits, _ and -, and not be "user"');
  }
  return definition;
}

function asMap(yaml: YamlFile): Record<string, unknown> {
  const { value } = yaml;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw yaml.fail([], 'must hold a map of keys');
}

/** A tool may be given as its bare name. */
function withToolNames(value: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(value.tools)) return value;
  const tools: unknown[] = value.tools;
  return { ...value, tools: tools.map((tool) => (typeof tool === 'string' ? { name: tool } : tool)) };
}

function isAgentClass(name: unknown): name is keyof typeof classes {
  return typeof name === 'string' && Object.hasOwn(classes, name);
}

interface Mistake {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

function firstMistake(yaml: YamlFile, mistakes: readonly Mistake[]): AppFileError {
  const mistake = mistakes.find(({ keyword }) => keyword === 'additionalProperties') ?? mistakes[0];
  if (mistake === undefined) return yaml.fail([], 'is not an agent');
  const path = mistake.instancePath.split('/').slice(1);
  const { requiredProperties, additionalProperties, allowedValues } = asParams(mistake.params);
  const missing = requiredProperties?.[0];
  if (missing !== undefined) return yaml.fail([...path, missing], 'is required');
  const unknown = additionalProperties?.[0];
  if (unknown !== undefined) return yaml.fail([...path, unknown], 'is not a key of this agent');
  if (allowedValues !== undefined) return yaml.fail(path, `must be one of ${allowedValues.join(', ')}`);
  return yaml.fail(path, mistake.message);
}

interface MistakeParams {
  requiredProperties?: string[];
  additionalProperties?: string[];
  allowedValues?: unknown[];
}

function asParams(params: object): MistakeParams {
  return params;
}
