export type JsonSchema = Record<string, unknown>;

/** Limits that Gemini's schemas write as text. */
const numeric = new Set(['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties']);
const schemaMaps = new Set(['properties', '$defs', 'definitions']);
const schemaLists = new Set(['anyOf', 'oneOf', 'allOf']);
const geminiOnly = new Set(['nullable', 'propertyOrdering', 'example']);

/** Converts Gemini's schema dialect (`type: 'STRING'`, `nullable`) to JSON Schema; JSON Schema is returned unchanged. */
export function toJsonSchema(schema: unknown): JsonSchema | undefined {
  return isObject(schema) ? convertObject(schema) : undefined;
}

function convert(schema: unknown): unknown {
  return isObject(schema) ? convertObject(schema) : schema;
}

function convertObject(schema: JsonSchema): JsonSchema {
  const converted: JsonSchema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (!geminiOnly.has(key) && value !== undefined) converted[key] = convertKey(key, value);
  }
  if (converted['type'] === 'type_unspecified') delete converted['type'];
  return schema['nullable'] === true ? orNull(converted) : converted;
}

function convertKey(key: string, value: unknown): unknown {
  if (key === 'type') return Array.isArray(value) ? value.map(lowerCase) : lowerCase(value);
  if (key === 'items' || key === 'additionalProperties') return convert(value);
  if (schemaLists.has(key) && Array.isArray(value)) return value.map(convert);
  if (schemaMaps.has(key) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, convert(one)]));
  }
  return numeric.has(key) ? Number(value) : value;
}

function orNull(schema: JsonSchema): JsonSchema {
  if (typeof schema['type'] !== 'string') return { anyOf: [schema, { type: 'null' }] };
  const withNull = { ...schema, type: [schema['type'], 'null'] };
  return Array.isArray(schema['enum']) ? { ...withNull, enum: schema['enum'].concat(null) } : withNull;
}

function lowerCase(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
