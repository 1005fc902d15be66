import { faults, notEmail, patternMismatch, tooLong, tooShort } from './fault.ts';
import type { Fault } from './issue.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Check } from './scalar.ts';

/** Pattern of text that PostgreSQL can store in a text column. */
export const noNul = '^[^\\u0000]*$';

type Rule = (text: string) => Fault | undefined;

/** A string within the limits of its schema. Only the first broken rule is reported. */
export function text(schema: JsonSchema): Check {
  const rules = rulesOf(schema);
  return (input, report) => {
    if (typeof input !== 'string') return report.add(faults.string, input);
    for (const rule of rules) {
      const fault = rule(input);
      if (fault !== undefined) return report.add(fault, input.toWellFormed());
    }
    return input;
  };
}

/** Rules of a schema's keywords. */
export function rulesOf({ minLength, maxLength, pattern, format, ...own }: JsonSchema): Rule[] {
  const rules: Rule[] = [];
  if (minLength !== undefined) rules.push((input) => (lengthOf(input) < minLength ? tooShort(minLength) : undefined));
  const measure = own['x-in-bytes'] === true ? bytesOf : lengthOf;
  if (maxLength !== undefined) rules.push((input) => (measure(input) > maxLength ? tooLong(maxLength) : undefined));
  if (pattern === noNul) rules.push(storable);
  else if (pattern !== undefined) rules.push(matching(pattern));
  if (format === 'email') rules.push(email);
  return rules;
}

/** Length in UTF-8 bytes. */
function bytesOf(input: string): number {
  return Buffer.byteLength(input);
}

/** Length in code points, as Python counts. */
function lengthOf(input: string): number {
  let length = 0;
  for (const _ of input) length += 1;
  return length;
}

const storable: Rule = (input) => {
  if (input.includes('\0')) return faults.nul;
  return input.isWellFormed() ? undefined : faults.unicode;
};

function matching(pattern: string): Rule {
  const expression = new RegExp(pattern, 'u');
  const fault = patternMismatch(pattern);
  return (input) => (expression.test(input) ? undefined : fault);
}

const domain = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?)+$/u;
const local = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;

const email: Rule = (sent) => {
  const input = sent.trim();
  const at = input.lastIndexOf('@');
  if (at === -1) return notEmail('An email address must have an @-sign.');
  if (input.length > 254) return notEmail('The email address is too long.');
  if (!local.test(input.slice(0, at)) || at > 64) return notEmail('The part before the @-sign is not valid.');
  return domain.test(input.slice(at + 1)) ? undefined : notEmail('The part after the @-sign is not valid.');
};
