import type { jsonSchemaValidator } from '@modelcontextprotocol/client';

type Schema = Readonly<Record<string, unknown>>;
const mostLevels = 16;
/** Most steps of one check; the rest of a larger answer is not looked at. */
const mostSteps = 100_000;

/**
 * Checks structured answers of tools against the schemas that their servers declare: `type`, `enum`, `required`, `properties` and `items`.
 * Other keywords are not looked at: patterns and references of a hostile schema can take time without bound.
 */
export const outputChecker: jsonSchemaValidator = {
  getValidator<T>(schema: unknown) {
    return (input: unknown) => {
      const fault = findFault(schema, input, { path: '', levels: 0, budget: { steps: mostSteps } });
      return fault === undefined
        ? { valid: true, data: input as T, errorMessage: undefined }
        : { valid: false, data: undefined, errorMessage: fault };
    };
  },
};

interface Place {
  readonly path: string;
  readonly levels: number;
  readonly budget: { steps: number };
}

function findFault(schema: unknown, value: unknown, place: Place): string | undefined {
  place.budget.steps -= 1;
  if (!isObject(schema) || place.levels >= mostLevels || place.budget.steps < 0) return undefined;
  const { type, enum: allowed } = schema;
  if (!hasType(type, value))
    return `${place.path || 'the answer'} is not of type ${JSON.stringify(type).slice(0, 100)}`;
  if (Array.isArray(allowed) && !isAmong(value, allowed, place)) {
    return `${place.path || 'the answer'} is none of the allowed values`;
  }
  if (Array.isArray(value)) return ofItems(schema, value, place);
  return isObject(value) ? ofProperties(schema, value, place) : undefined;
}

function ofItems({ items }: Schema, value: readonly unknown[], { path, levels, budget }: Place): string | undefined {
  for (const [index, item] of value.entries()) {
    if (budget.steps < 0) return undefined;
    const fault = findFault(items, item, { path: `${path}[${index}]`, levels: levels + 1, budget });
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function ofProperties(schema: Schema, value: Schema, { path, levels, budget }: Place): string | undefined {
  const { required, properties } = schema;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const missing = names.find((key) => typeof key === 'string' && !Object.hasOwn(value, key));
  if (missing !== undefined) return `${path}.${JSON.stringify(missing).slice(0, 100)} is missing`;
  const expected = Object.entries(isObject(properties) ? properties : {});
  budget.steps -= expected.length + names.length;
  for (const [key, inner] of expected) {
    if (!Object.hasOwn(value, key)) continue;
    const fault = findFault(inner, value[key], { path: `${path}.${key.slice(0, 100)}`, levels: levels + 1, budget });
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function hasType(type: unknown, value: unknown): boolean {
  if (Array.isArray(type)) return type.some((one) => hasType(one, value));
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return type === 'string' || type === 'number' || type === 'boolean' ? typeof value === type : true;
}

/** Texts, numbers and the like are compared; an allowed value that is a list or a map allows everything. */
function isAmong(value: unknown, allowed: readonly unknown[], { budget }: Place): boolean {
  budget.steps -= allowed.length;
  return allowed.some((one) => one === value || (typeof one === 'object' && one !== null));
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
