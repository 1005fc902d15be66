/** Subset of JSON Schema that the contract's records use. The `x-` keywords are our own. */
export interface JsonSchema {
  readonly type?: string;
  readonly title?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** false refuses unknown keys; true or a schema keeps them; without it they are dropped. */
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly items?: JsonSchema;
  readonly uniqueItems?: boolean;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** `[X, null]`. */
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  /** `maxLength` counts UTF-8 bytes, because storage is limited in bytes. */
  readonly 'x-in-bytes'?: boolean;
  /** Inclusive bounds of a number. */
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  /** `email`, or `byte` for base64 in either alphabet. */
  readonly format?: string;
  readonly default?: unknown;
  /** The value is a password, a token or a key: it never appears in an answer. */
  readonly writeOnly?: boolean;
  /** Members are accepted in any case. Unknown values are accepted unchanged. */
  readonly 'x-open-enum'?: boolean;
  /** Properties one of which is required. Generators of clients read a top-level `anyOf` of `required` as a type without properties. */
  readonly 'x-one-of'?: readonly string[];
  /** Second name of the property. The value is answered under the name that was sent. */
  readonly 'x-also'?: string;
  /** Former name of the property, which is read too. The value is answered under the present name. */
  readonly 'x-former'?: string;
  /** Keys that are skipped where unknown keys are refused. */
  readonly 'x-ignored'?: readonly string[];
  /** Keys that are refused where unknown keys are kept. */
  readonly 'x-refused'?: readonly string[];
  /** An empty text counts as missing. */
  readonly 'x-blank-is-missing'?: boolean;
  /** Record of the body if it is sent as an urlencoded form. */
  readonly 'x-form'?: JsonSchema;
}

/** Schema X of `[X, null]`. */
export function nullableOf(schema: JsonSchema): JsonSchema | undefined {
  const [inner, other] = schema.anyOf ?? [];
  return schema.type === undefined && other?.type === 'null' ? inner : undefined;
}
