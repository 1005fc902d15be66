import { Type, type Static } from 'typebox';
import { freeForm, maybe, storedText, strict } from '../edge/records/keywords.ts';

const params = Type.Object(
  {
    model_api_key: maybe(
      Type.String({
        writeOnly: true,
        maxLength: 500,
        description:
          'A key, `saved:apikey<N>`, or `__unchanged__` to keep the key that the agent has. A key is never answered.',
      }),
    ),
    model_api_base: maybe(Type.String({ maxLength: 2048, description: 'Address of a server that the key is for.' })),
  },
  // Near misses of the keys above: without the address, a key of a private server would be sent to the provider.
  {
    additionalProperties: true,
    title: 'AgentModelParams',
    'x-refused': ['api_base', 'base_url', 'model_base_url', 'api_key', 'api_key_value'],
  },
);

const modelNames = Type.Union([Type.String(), Type.Array(Type.String())], {
  description:
    '`provider/model`, or a list of up to five: the next one takes over when one fails. See `docs/models.md`.',
});

const reference = Type.Union([Type.String(), Type.Integer()]);

/** Fields of the answer that a client may send back. */
const answered = ['agent_id', 'model_api_key', 'status', 'version', 'created_at', 'updated_at', 'message'];

/** Fields that the reference's UI sends. The service checks their values. */
export const AgentRequest = Type.Object(
  {
    agent_name: storedText(),
    agent_model: modelNames,
    model_retries: maybe(
      Type.Integer({ description: 'How often a failed call of a model is tried again; 4 if absent.' }),
    ),
    agent_description: storedText(),
    agent_instruction: storedText(),
    agent_type: Type.String({ description: '`llm` or `base`, `router`, `sequential`, `parallel`, `loop`.' }),
    agent_model_params: maybe(params),
    agent_tools: maybe(Type.Array(Type.Unknown(), { description: 'Names of built-in tools.' })),
    tools: maybe(Type.Array(Type.Unknown(), { description: 'The same as `agent_tools`.' })),
    confirm_tools: maybe(
      Type.Array(Type.String(), { description: 'Those of `agent_tools` that ask for approval before each call.' }),
    ),
    sub_agents: maybe(Type.Array(reference, { description: 'Agents of the account: `agent12` or 12.' })),
    loop_max_iterations: maybe(Type.Integer()),
    output_key: maybe(Type.String()),
    include_contents: maybe(Type.String({ description: '`default` or `none`.' })),
    generate_content_config: maybe(freeForm()),
    disallow_transfer_to_parent: maybe(Type.Boolean()),
    disallow_transfer_to_peers: maybe(Type.Boolean()),
    multitask: maybe(
      Type.String({
        description: '`enqueue`, `reject`, `interrupt` or `rollback`: what a run does when its session is busy.',
      }),
    ),
    resumable: maybe(
      Type.Boolean({
        description: 'Whether a run goes on with another executor when its own has died; `true` if absent.',
      }),
    ),
    on_disconnect: maybe(
      Type.String({ description: '`continue` or `cancel`: what becomes of a run whose client leaves.' }),
    ),
    run_limits: maybe(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'Limits of each run: `seconds`, `model_calls`, `tool_calls`, `tokens`, `cost` (US dollars).',
        },
      ),
    ),
    answer_timeout_seconds: maybe(
      Type.Integer({ description: 'How long a run waits for an answer before it gets `default_answer`; 0: for ever.' }),
    ),
    default_answer: maybe(freeForm()),
    retention: maybe(
      Type.Union([Type.Integer(), Type.String()], {
        description:
          'For how many days runs and events of the agent are kept, or `forever`; a rule of the account for the agent comes first.',
      }),
    ),
    answer_mail: maybe(
      Type.Boolean({ description: 'Whether the account gets a mail with a link to answer when a run waits.' }),
    ),
    events_compaction_config: maybe(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description:
          'When sessions are summarized: compaction_interval and overlap_size, token_threshold and event_retention_size, summarizer (model, prompt_template).',
      }),
    ),
    agent_skills: maybe(Type.Array(Type.Unknown())),
    skills: maybe(Type.Array(Type.Unknown(), { description: 'The same as `agent_skills`.' })),
    tags: maybe(Type.Array(Type.Unknown())),
    input_schema: maybe(Type.Unknown()),
    output_schema: maybe(Type.Unknown()),
    output_schema_name: maybe(Type.String()),
    memory_enabled: maybe(Type.Boolean()),
    artifacts_enabled: maybe(Type.Boolean()),
    superagent_template_id: maybe(Type.Unknown()),
    loop_exit_instruction: maybe(Type.String()),
    hub_origin_id: maybe(Type.Unknown()),
    project_id: maybe(Type.Unknown()),
    guardrails_config: maybe(Type.Unknown({ description: 'Not supported: must be empty.' })),
    mcp_servers: maybe(
      Type.Array(Type.Unknown(), {
        description:
          'Servers whose tools the agent has: url, transport (streamable_http or sse), headers, timeout, tool_filter, tool_name_prefix, ' +
          'state_header_mapping, api_key (saved:apikey7), require_confirmation. Values of headers are answered as `__unchanged__`, ' +
          'and kept where this is sent for the same url.',
      }),
    ),
    code_executor: maybe(Type.Unknown({ description: 'Not supported: must be empty.' })),
    skip_when_upstream: maybe(Type.Unknown({ description: 'Not supported: must be empty.' })),
    owner_id: maybe(Type.Unknown({ description: 'Accepted and not used.' })),
    organization_id: maybe(Type.Unknown({ description: 'Accepted and not used.' })),
  },
  {
    title: 'AgentRequest',
    ...strict,
    'x-ignored': answered,
    required: ['agent_name', 'agent_model', 'agent_description', 'agent_instruction', 'agent_type'],
    examples: [
      {
        agent_name: 'greeter',
        agent_model: 'echo/echo',
        agent_description: 'Says hello.',
        agent_instruction: 'Greet the user.',
        agent_type: 'llm',
      },
    ],
  },
);
export type AgentRequest = Static<typeof AgentRequest>;

const dateTime = Type.String({ format: 'date-time' });

export const NewAgent = Type.Object(
  {
    agent_id: Type.String({ description: '`agent<N>`, as the reference answers it. Records have the number.' }),
    app_name: Type.String({ description: '`agent<N>`, the name of its app.' }),
    agent_name: Type.String(),
    agent_model: modelNames,
    agent_description: Type.String(),
    owner_id: Type.String(),
    organization_id: Type.String(),
    created_at: dateTime,
    message: Type.String(),
  },
  { title: 'NewAgent' },
);

export const Agent = Type.Object(
  {
    agent_id: Type.Integer(),
    agent_name: Type.String(),
    agent_model: modelNames,
    agent_model_params: freeForm(),
    agent_description: Type.String(),
    agent_instruction: Type.String(),
    agent_type: Type.String(),
    agent_tools: Type.Array(Type.String()),
    tools: Type.Array(Type.String({ description: 'The same as `agent_tools`.' })),
    sub_agents: Type.Array(Type.String()),
    agent_skills: Type.Array(Type.Unknown()),
    tags: Type.Array(Type.Unknown()),
    owner_id: Type.String({ description: 'E-mail address of the account.' }),
    organization_id: Type.String({ description: 'Domain of the address.' }),
    status: Type.String({ description: '`active`.' }),
    version: Type.Integer(),
    created_at: dateTime,
    updated_at: dateTime,
  },
  { title: 'Agent', additionalProperties: true },
);

export const AgentVersion = Type.Object(
  { version: Type.Integer(), created_at: dateTime, agent: freeForm() },
  { title: 'AgentVersion' },
);

export const AgentPath = Type.Object({
  agent_id: Type.String({ examples: ['1'], description: 'Id of the agent: `12` or `agent12`.' }),
});

export const AgentVersionPath = Type.Object({
  ...AgentPath.properties,
  version: Type.Integer({ minimum: 1, maximum: 2_147_483_647, examples: [1], description: 'Number of the version.' }),
});

export const Message = Type.Object({ message: Type.String() }, { title: 'Message' });

/** Header of an answer that is an agent. */
export const versionHeader = { ETag: { type: 'string', description: 'The version of the agent, for `If-Match`.' } };

const ifMatch = 'Versions (`ETag`) of which the agent must be at one; else nothing is changed and the answer is 412.';

export const IfMatch = Type.Object(
  { 'if-match': Type.Optional(Type.String({ description: ifMatch })) },
  { additionalProperties: true },
);
