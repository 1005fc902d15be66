import { isExactInteger } from '@agentmesh/proto/exact-json';
import { readBase64 } from './base64.ts';
import { faults, notBase64, notEnum, notLiteral, tooLarge, tooSmall } from './fault.ts';
import type { Report } from './issue.ts';
import type { JsonSchema } from './json-schema.ts';

/** Reads a value: returns its normal form, or adds issues to the report and returns undefined. */
export type Check = (input: unknown, report: Report) => unknown;

const truths = new Map<string, boolean>();
for (const word of ['1', 'on', 't', 'true', 'y', 'yes']) truths.set(word, true);
for (const word of ['0', 'off', 'f', 'false', 'n', 'no']) truths.set(word, false);

export const checkBoolean: Check = (input, report) => {
  if (typeof input === 'boolean') return input;
  if (typeof input === 'number' && !Number.isInteger(input)) return report.add(faults.boolean, input);
  if (typeof input !== 'string' && typeof input !== 'number') return report.add(faults.boolean, input);
  return truths.get(String(input).toLowerCase()) ?? report.add(faults.booleanText, input);
};

const decimal = /^[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)(e[+-]?\d+)?$/i;
const notFinite = /^[+-]?(inf(inity)?|nan)$/i;

const checkNumber: Check = (input, report) => {
  if (typeof input === 'number') return Number.isFinite(input) ? input : report.add(faults.finite, null);
  if (isExactInteger(input)) return Number(input.rawJSON);
  if (typeof input === 'boolean') return Number(input);
  if (typeof input !== 'string') return report.add(faults.number, input);
  const text = input.trim();
  if (notFinite.test(text)) return report.add(faults.finite, input);
  if (!decimal.test(text)) return report.add(faults.numberText, input);
  const value = Number(text.replaceAll('_', ''));
  return Number.isFinite(value) ? value : report.add(faults.finite, input);
};

/** A finite number within the bounds of its schema. */
export function number(schema: JsonSchema): Check {
  return within(schema, checkNumber);
}

const whole = /^[+-]?\d+(_\d+)*(\.0*)?$/;

const checkInteger: Check = (input, report) => {
  if (typeof input === 'boolean') return Number(input);
  if (typeof input === 'number') return checkWhole(input, report);
  if (isExactInteger(input)) return input;
  if (typeof input !== 'string') return report.add(faults.integer, input);
  const text = input.trim();
  if (!whole.test(text)) return report.add(faults.integerText, input);
  const value = Number(text.replaceAll('_', ''));
  return Number.isSafeInteger(value) ? value : report.add(faults.integerSize, input);
};

/** An integer within the bounds of its schema. */
export function integer(schema: JsonSchema): Check {
  return within(schema, checkInteger);
}

function within({ minimum = -Infinity, maximum = Infinity }: JsonSchema, check: Check): Check {
  if (minimum === -Infinity && maximum === Infinity) return check;
  return (input, report) => {
    const value = check(input, report);
    if (value === undefined) return undefined;
    const size = isExactInteger(value) ? Number(value.rawJSON) : Number(value);
    if (size < minimum) return report.add(tooSmall(minimum), input);
    return size > maximum ? report.add(tooLarge(maximum), input) : value;
  };
}

function checkWhole(input: number, report: Report): unknown {
  if (!Number.isFinite(input)) return report.add(faults.finite, null);
  return Number.isInteger(input) ? input : report.add(faults.fraction, input);
}

export const checkBytes: Check = (input, report) => {
  if (typeof input !== 'string') return report.add(faults.bytes, input);
  const reading = readBase64(input);
  return 'value' in reading ? reading.value : report.add(notBase64(reading.fault), input);
};

/** One of `values`. Other types get an issue of their own. */
export function literal(values: readonly string[]): Check {
  const fault = notLiteral(values);
  const members = new Set(values);
  return (input, report) => {
    if (typeof input !== 'string') return report.add(faults.string, input);
    return members.has(input) ? input : report.add(fault, input);
  };
}

/** Any text. A member of `values` in any case becomes upper case; other texts stay unchanged. */
export function openEnum(values: readonly string[]): Check {
  const fault = notEnum(values);
  const members = new Set(values);
  return (input, report) => {
    if (typeof input !== 'string') return report.add(fault, input);
    const upper = input.toUpperCase();
    return members.has(upper) ? upper : input;
  };
}
