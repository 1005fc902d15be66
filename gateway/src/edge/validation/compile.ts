import { faults, tooFew, tooMany } from './fault.ts';
import type { Report } from './issue.ts';
import { type JsonSchema, nullableOf } from './json-schema.ts';
import { object } from './object.ts';
import { isRecord, put } from './record.ts';
import { type Check, checkBoolean, checkBytes, number, integer, literal, openEnum } from './scalar.ts';
import { rulesOf, text } from './text.ts';

const compiled = new WeakMap<JsonSchema, Check>();

/**
 * Compiles a schema into a check that behaves as pydantic in lax mode. The check reports every issue and returns the value in its
 * normal form: declared names in camelCase, null fields left out, free-form maps unchanged. A check never throws, whatever the
 * JSON. Compiling throws on schemas outside the subset of `JsonSchema`.
 */
export function compile(schema: JsonSchema): Check {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const check = schema.writeOnly === true ? withholding(build(schema)) : build(schema);
  compiled.set(schema, check);
  return check;
}

function build(schema: JsonSchema): Check {
  const inner = nullableOf(schema);
  if (inner !== undefined) return nullable(compile(inner));
  if (schema.enum !== undefined) return schema['x-open-enum'] ? openEnum(schema.enum) : literal(schema.enum);
  switch (schema.type) {
    case 'object':
      return schema.properties === undefined || isBare(schema) ? map(schema) : object(schema, compile);
    case 'array':
      return list(schema);
    case 'string':
      return schema.format === 'byte' ? checkBytes : text(schema);
    case 'boolean':
      return checkBoolean;
    case 'number':
      return number(schema);
    case 'integer':
      return integer(schema);
    case undefined:
      return (input) => input;
    default:
      throw new Error(`A schema of type ${schema.type} is not supported.`);
  }
}

function nullable(check: Check): Check {
  return (input, report) => (input === null ? null : check(input, report));
}

function withholding(check: Check): Check {
  return (input, report) => {
    report.withheld += 1;
    const value = check(input, report);
    report.withheld -= 1;
    return value;
  };
}

/** Whether a schema declares no keys: a map instead of a record. */
function isBare(schema: JsonSchema): boolean {
  return Object.keys(schema.properties ?? {}).length === 0 && schema.additionalProperties !== undefined;
}

function map({ additionalProperties, propertyNames }: JsonSchema): Check {
  const values = typeof additionalProperties === 'object' ? compile(additionalProperties) : undefined;
  const rules = propertyNames === undefined ? [] : rulesOf(propertyNames);
  return (input, report) => {
    if (!isRecord(input)) return report.add(faults.map, input);
    if (rules.length > 0) checkNames(input, rules, report);
    return values === undefined ? input : mapValues(input, values, report);
  };
}

function checkNames(input: Record<string, unknown>, rules: ReturnType<typeof rulesOf>, report: Report): void {
  for (const key in input) {
    const fault = rules.map((rule) => rule(key)).find((found) => found !== undefined);
    if (fault !== undefined) report.add(fault, key.toWellFormed(), key.toWellFormed());
  }
}

function mapValues(input: Record<string, unknown>, values: Check, report: Report): Record<string, unknown> {
  const output: Record<string, unknown> = {};
  for (const key of Object.keys(input)) {
    report.path.push(key);
    put(output, key, values(input[key], report));
    report.path.pop();
  }
  return output;
}

function list({ items, uniqueItems, minItems = 0, maxItems }: JsonSchema): Check {
  const check = items === undefined ? undefined : compile(items);
  const fault = uniqueItems === true ? faults.set : faults.list;
  return (input, report) => {
    if (!Array.isArray(input)) return report.add(fault, input);
    if (maxItems !== undefined && input.length > maxItems) return report.add(tooMany(maxItems, input.length), input);
    if (input.length < minItems) return report.add(tooFew(minItems, input.length), input);
    const output: unknown[] = check === undefined ? input : checkItems(input, check, report);
    return uniqueItems === true ? [...new Set(output)] : output;
  };
}

function checkItems(input: unknown[], check: Check, report: Report): unknown[] {
  const output: unknown[] = [];
  for (let index = 0; index < input.length && !report.full; index += 1) {
    report.path.push(index);
    output.push(check(input[index], report));
    report.path.pop();
  }
  return output;
}
