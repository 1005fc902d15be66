/** The part of JSON Schema that the contract's records use. The `x-` keywords are ours. */
export interface JsonSchema {
  readonly type?: string;
  readonly title?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** false: unknown keys are refused; true or a schema: kept; absent: ignored. */
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly items?: JsonSchema;
  readonly uniqueItems?: boolean;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Either `[X, null]`, or on an object alternatives of `required`. */
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  /** `maxLength` counts UTF-8 bytes: what is stored has its limit in bytes. */
  readonly 'x-in-bytes'?: boolean;
  /** Bounds of an integer, each included. */
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  /** `email`, or `byte` for base64 of either alphabet. */
  readonly format?: string;
  readonly default?: unknown;
  /** Holds a password, a token or a key: never repeated in an answer. */
  readonly writeOnly?: boolean;
  /** Members are accepted in any case, and unknown ones as they are. */
  readonly 'x-open-enum'?: boolean;
  /** A second name of the property; the value is answered under the name that was sent. */
  readonly 'x-also'?: string;
  /** Empty text counts as absent. */
  readonly 'x-blank-is-missing'?: boolean;
  /** The record when the body is an urlencoded form. */
  readonly 'x-form'?: JsonSchema;
}

/** The schema beside `null`, when this one only makes another nullable. */
export function nullableOf(schema: JsonSchema): JsonSchema | undefined {
  const [inner, other] = schema.anyOf ?? [];
  return schema.type === undefined && other?.type === 'null' ? inner : undefined;
}
