import { extraKey, faults } from './fault.ts';
import type { Report } from './issue.ts';
import { type JsonSchema, nullableOf } from './json-schema.ts';
import { nearestName } from './nearest-name.ts';
import { isRecord, put } from './record.ts';
import type { Check } from './scalar.ts';

interface Field {
  readonly name: string;
  /** Names that are read, best first, each with the name to answer. */
  readonly spellings: readonly (readonly [sent: string, answered: string])[];
  readonly check: Check;
  readonly required: boolean;
  /** Other fields, one of which can replace this one. */
  readonly alternatives: readonly string[];
  readonly blankIsMissing: boolean;
  readonly fallback: unknown;
  /** True: it is read also where it was not sent. */
  readonly isRead: boolean;
}

/** Check of a record with declared fields. Issues come in the order of the fields, unknown keys last. */
export function object(schema: JsonSchema, compile: (schema: JsonSchema) => Check): Check {
  const fields = fieldsOf(schema, compile);
  const spellings = new Set(fields.flatMap((field) => field.spellings.map(([sent]) => sent)));
  const secret = Object.values(schema.properties ?? {}).some(isSecret);
  const { additionalProperties: extras } = schema;
  const names = fields.map(({ name }) => name);
  const ignored = new Set(schema['x-ignored']);
  const refused = new Set(schema['x-refused']);
  const sentOf = presenceOf(fields);
  return (input, report) => {
    if (!isRecord(input)) return refuse(input, report, secret);
    const output: Record<string, unknown> = {};
    const reading = { input, output, report, secret };
    const sent = sentOf(input);
    fields.forEach((field, index) => {
      if (field.isRead || (sent & (1 << index)) !== 0) readField(field, reading);
    });
    if (extras === undefined) return output;
    for (const key of Object.keys(input)) {
      if (spellings.has(key) || ignored.has(key)) continue;
      if (extras === false || refused.has(key)) reportExtra(key, { input, report, secret, names });
      else put(output, key, input[key]);
    }
    return output;
  };
}

/** Whether the values of a field, or of a field inside it, are left out of the issues because they are secret. */
function isSecret(property: JsonSchema): boolean {
  const inner = nullableOf(property) ?? property;
  return inner.writeOnly === true || Object.values(inner.properties ?? {}).some(isSecret);
}

function refuse(input: unknown, report: Report, secret: boolean): undefined {
  report.withheld += secret ? 1 : 0;
  report.add(faults.object, input);
  report.withheld -= secret ? 1 : 0;
  return undefined;
}

/** Most fields whose presence fits into a number. */
const mostBits = 31;

/** Returns what tells the fields that a record has: bit by bit, so that those that are left out cost no look for each of their spellings. */
function presenceOf(fields: readonly Field[]): (input: Record<string, unknown>) => number {
  if (fields.length > mostBits) return () => -1;
  const bits = new Map<string, number>();
  for (const [index, { spellings }] of fields.entries())
    for (const [name] of spellings) bits.set(name, (bits.get(name) ?? 0) | (1 << index));
  return (input) => {
    let sent = 0;
    for (const key of Object.keys(input)) sent |= bits.get(key) ?? 0;
    return sent;
  };
}

interface Reading {
  readonly input: Record<string, unknown>;
  readonly output: Record<string, unknown>;
  readonly report: Report;
  readonly secret: boolean;
}

function readField(field: Field, { input, output, report, secret }: Reading): void {
  const spelling = spellingIn(field, input);
  if (spelling === undefined) {
    if (field.required && !isCovered(field, input)) reportMissing(field, { input, report, secret });
    else if (field.fallback !== undefined) output[field.name] = field.fallback;
    return;
  }
  const [sent, answered] = spelling;
  if (input[sent] === null && field.alternatives.length > 0 && !isCovered(field, input)) {
    reportMissing(field, { input, report, secret });
    return;
  }
  report.path.push(answered);
  const value = field.check(input[sent], report);
  report.path.pop();
  if (value !== null && value !== undefined) output[answered] = value;
}

function spellingIn(field: Field, input: Record<string, unknown>): readonly [string, string] | undefined {
  for (const spelling of field.spellings) {
    if (!Object.hasOwn(input, spelling[0])) continue;
    return field.blankIsMissing && isBlank(input[spelling[0]]) ? undefined : spelling;
  }
  return undefined;
}

function isBlank(value: unknown): boolean {
  return value === '' || value === null;
}

function isCovered(field: Field, input: Record<string, unknown>): boolean {
  return field.alternatives.some((name) => Object.hasOwn(input, name) && !isBlank(input[name]));
}

function reportMissing(field: Field, at: { input: unknown; report: Report; secret: boolean }): void {
  at.report.withheld += at.secret ? 1 : 0;
  at.report.add(faults.missing, at.input, field.name);
  at.report.withheld -= at.secret ? 1 : 0;
}

function reportExtra(
  key: string,
  at: { input: Record<string, unknown>; report: Report; secret: boolean; names: readonly string[] },
): void {
  at.report.withheld += at.secret ? 1 : 0;
  at.report.add(extraKey(nearestName(key, at.names)), at.input[key], key);
  at.report.withheld -= at.secret ? 1 : 0;
}

function fieldsOf(schema: JsonSchema, compile: (schema: JsonSchema) => Check): Field[] {
  const choice = schema['x-one-of'] ?? [];
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const alternatives = choice[0] === name ? choice.slice(1).flatMap((other) => [other, snakeCase(other)]) : [];
    const inner = nullableOf(property) ?? property;
    const required = alternatives.length > 0 || (schema.required ?? []).includes(name);
    return {
      name,
      spellings: [...spellingsOf(name, inner['x-also']), ...formerOf(name, inner['x-former'])],
      check: compile(property),
      required,
      alternatives,
      blankIsMissing: inner['x-blank-is-missing'] === true,
      fallback: inner.default,
      isRead: required || inner.default !== undefined,
    };
  });
}

function spellingsOf(name: string, also: string | undefined): (readonly [string, string])[] {
  const names = also === undefined ? [name] : [name, also];
  return names.flatMap((answered): [string, string][] => {
    const snake = snakeCase(answered);
    return snake === answered
      ? [[answered, answered]]
      : [
          [answered, answered],
          [snake, answered],
        ];
  });
}

function formerOf(name: string, former: string | undefined): (readonly [string, string])[] {
  return former === undefined ? [] : [[former, name]];
}

/** Python's spelling: `user_id` for `userId`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
