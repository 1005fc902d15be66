import { compile } from './compile.ts';
import { faults } from './fault.ts';
import { FormFields } from './form-fields.ts';
import { type Issue, Report } from './issue.ts';
import { type JsonSchema, nullableOf } from './json-schema.ts';
import { isRecord } from './record.ts';

/** Part of a request. */
export type Place = 'body' | 'query' | 'path' | 'header';

export type Outcome = { readonly value: unknown } | { readonly issues: readonly Issue[] };

/**
 * Check of one part of a request. Returns the value in its normal form, or at least one issue. `record` is a TypeBox schema, whose
 * static type hides its keywords; a schema outside the subset of `JsonSchema` throws.
 */
export function requestCheck(record: object, place: Place): (input: unknown) => Outcome {
  const schema: JsonSchema = record;
  const check = compile(schema);
  const form = schema['x-form'] === undefined ? undefined : compile(schema['x-form']);
  const optional = nullableOf(schema) !== undefined;
  return (sent) => {
    const report = new Report(place);
    if (sent === undefined || sent === null)
      return optional ? { value: null } : outcome(report.add(faults.missing, null), report);
    if (sent instanceof FormFields) {
      return outcome(form === undefined ? check(sent.text, report) : form(sent.fields, report), report);
    }
    return outcome(check(place === 'query' ? lastOfEach(sent) : sent, report), report);
  };
}

function outcome(value: unknown, report: Report): Outcome {
  return report.issues.length === 0 ? { value } : { issues: report.issues };
}

/** A query parameter that was sent several times has its last value. */
function lastOfEach(query: unknown): unknown {
  if (!isRecord(query)) return query;
  return Object.fromEntries(Object.entries(query).map(([key, value]) => [key, lastOf(value)]));
}

function lastOf(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const last: unknown = value.at(-1);
  return last;
}
