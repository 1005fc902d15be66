import Type, { type TSchema } from 'typebox';
import { toSnakeCase } from './to-snake-case.ts';

const strict = { additionalProperties: false };
const text = Type.Optional(Type.String());
const number = Type.Optional(Type.Number());
const integer = Type.Optional(Type.Integer());
const flag = Type.Optional(Type.Boolean());
const texts = Type.Optional(Type.Array(Type.String()));
/** Its keys are the app's, or the vendor's to check. */
const map = Type.Optional(Type.Object({}));

const ThinkingConfig = Type.Object({ thinking_level: text, thinking_budget: integer, include_thoughts: flag }, strict);

const FunctionCallingConfig = Type.Object(
  {
    mode: Type.Optional(Type.Enum(['AUTO', 'ANY', 'NONE', 'VALIDATED', 'MODE_UNSPECIFIED'])),
    allowed_function_names: texts,
    stream_function_call_arguments: flag,
  },
  strict,
);

const ToolConfig = Type.Object(
  {
    function_calling_config: Type.Optional(FunctionCallingConfig),
    retrieval_config: map,
    include_server_side_tool_invocations: flag,
  },
  strict,
);

const SafetySetting = Type.Object({ category: text, threshold: text, method: text }, strict);

/** How a failed call is tried again. Times in seconds. */
const RetryOptions = Type.Object(
  {
    attempts: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
    initial_delay: Type.Optional(Type.Number({ minimum: 0, maximum: 60 })),
    max_delay: Type.Optional(Type.Number({ minimum: 0, maximum: 300 })),
    exp_base: Type.Optional(Type.Number({ minimum: 1, maximum: 10 })),
    jitter: Type.Optional(Type.Number({ minimum: 0, maximum: 60 })),
    http_status_codes: Type.Optional(Type.Array(Type.Integer({ minimum: 400, maximum: 599 }))),
  },
  strict,
);

/** Settings of a model that are passed on to at least one vendor (docs/models.md). */
const passedOn = {
  temperature: number,
  top_p: number,
  top_k: number,
  max_output_tokens: integer,
  stop_sequences: texts,
  seed: integer,
  presence_penalty: number,
  frequency_penalty: number,
  response_mime_type: text,
  response_json_schema: map,
  thinking_config: Type.Optional(ThinkingConfig),
  tool_config: Type.Optional(ToolConfig),
  safety_settings: Type.Optional(Type.Array(SafetySetting)),
  cached_content: text,
  media_resolution: text,
  response_modalities: texts,
  service_tier: text,
  audio_timestamp: flag,
  image_config: map,
  http_options: Type.Optional(
    Type.Object(
      {
        retry_options: Type.Optional(RetryOptions),
        /** Milliseconds, as in ADK. */
        timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_600_000 })),
      },
      strict,
    ),
  ),
};

const anything = Type.Optional(Type.Unknown());

/** Keys of `GenerateContentConfig` of @google/genai that files made for ADK may have, and that no model here is given. */
const leftOut = {
  candidate_count: anything,
  response_logprobs: anything,
  logprobs: anything,
  routing_config: anything,
  model_selection_config: anything,
  labels: anything,
  speech_config: anything,
  automatic_function_calling: anything,
  audio_transcription_config: anything,
  enable_enhanced_civic_answers: anything,
  model_armor_config: anything,
  continuation_token: anything,
  automatic_continuation: anything,
  generation_output_config: anything,
  store: anything,
};

/** `generate_content_config`, with ADK's keys in snake case. */
export const ModelConfig = Type.Object({ ...passedOn, ...leftOut }, strict);

/** Keys of `GenerateContentConfig` that the file must not have, with what to do instead. */
export const refusedSettings: ReadonlyMap<string, string> = new Map([
  ['system_instruction', 'use the key instruction of the agent'],
  ['tools', 'use the key tools of the agent'],
  ['response_schema', 'use response_json_schema'],
  ['abort_signal', 'time limits of models are settings of the server (docs/settings.md)'],
]);

/**
 * Gives keys the snake case that the schema has: ADK takes both. A camelCase key whose snake form is unknown or there as well
 * stays, and is refused.
 */
export function withSnakeCaseKeys(value: unknown, schema: TSchema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema as { items?: TSchema };
    return items === undefined ? value : value.map((item) => withSnakeCaseKeys(item, items));
  }
  const { properties } = schema as { properties?: Record<string, TSchema> };
  if (typeof value !== 'object' || value === null || properties === undefined) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      const snake = toSnakeCase(key);
      const name = Object.hasOwn(properties, snake) && !Object.hasOwn(value, snake) ? snake : key;
      const inner = properties[name];
      return [name, inner === undefined ? entry : withSnakeCaseKeys(entry, inner)];
    }),
  );
}
