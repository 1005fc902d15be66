import Type from 'typebox';

const text = Type.Optional(Type.String());
const number = Type.Optional(Type.Number());
const integer = Type.Optional(Type.Integer());
const flag = Type.Optional(Type.Boolean());
const texts = Type.Optional(Type.Array(Type.String()));
const map = Type.Optional(Type.Object({}));

/** `generate_content_config`: what models are asked with (docs/models.md). Others are not looked at. */
export const ModelConfig = Type.Object({
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
  thinking_config: Type.Optional(
    Type.Object({ thinking_level: text, thinking_budget: integer, include_thoughts: flag }),
  ),
  tool_config: map,
  safety_settings: Type.Optional(Type.Array(Type.Object({}))),
  cached_content: text,
  media_resolution: text,
  response_modalities: texts,
  service_tier: text,
  image_config: map,
});
