import type { Fault } from './issue.ts';

/** Texts of faults, as pydantic words them. */
export const faults = {
  missing: { type: 'missing', msg: 'Field required' },
  object: {
    type: 'model_attributes_type',
    msg: 'Input should be a valid dictionary or object to extract fields from',
  },
  map: { type: 'dict_type', msg: 'Input should be a valid dictionary' },
  list: { type: 'list_type', msg: 'Input should be a valid list' },
  set: { type: 'set_type', msg: 'Input should be a valid set' },
  string: { type: 'string_type', msg: 'Input should be a valid string' },
  unicode: {
    type: 'string_unicode',
    msg: 'Input should be a valid string, unable to parse raw data as a unicode string',
  },
  nul: {
    type: 'value_error',
    msg: 'Value error, text must not contain NUL characters',
    ctx: { error: 'text must not contain NUL characters' },
  },
  bytes: { type: 'bytes_type', msg: 'Input should be a valid bytes' },
  boolean: { type: 'bool_type', msg: 'Input should be a valid boolean' },
  booleanText: { type: 'bool_parsing', msg: 'Input should be a valid boolean, unable to interpret input' },
  number: { type: 'float_type', msg: 'Input should be a valid number' },
  numberText: {
    type: 'float_parsing',
    msg: 'Input should be a valid number, unable to parse string as a number',
  },
  finite: { type: 'finite_number', msg: 'Input should be a finite number' },
  integer: { type: 'int_type', msg: 'Input should be a valid integer' },
  integerText: {
    type: 'int_parsing',
    msg: 'Input should be a valid integer, unable to parse string as an integer',
  },
  fraction: {
    type: 'int_from_float',
    msg: 'Input should be a valid integer, got a number with a fractional part',
  },
  integerSize: { type: 'int_parsing_size', msg: 'Unable to parse input string as an integer, exceeded maximum size' },
} as const satisfies Record<string, Fault>;

/** `meant`: the permitted key that is closest to it. */
export function extraKey(meant: string | undefined): Fault {
  const fault = { type: 'extra_forbidden', msg: 'Extra inputs are not permitted' };
  if (meant === undefined) return fault;
  return { ...fault, msg: `${fault.msg}. Did you mean '${meant}'?`, ctx: { closest: meant } };
}

export function tooShort(minLength: number): Fault {
  const noun = minLength === 1 ? 'character' : 'characters';
  return {
    type: 'string_too_short',
    msg: `String should have at least ${minLength} ${noun}`,
    ctx: { min_length: minLength },
  };
}

export function tooLong(maxLength: number): Fault {
  const noun = maxLength === 1 ? 'character' : 'characters';
  return {
    type: 'string_too_long',
    msg: `String should have at most ${maxLength} ${noun}`,
    ctx: { max_length: maxLength },
  };
}

export function tooSmall(minimum: number): Fault {
  const msg = `Input should be greater than or equal to ${minimum}`;
  return { type: 'greater_than_equal', msg, ctx: { ge: minimum } };
}

export function tooLarge(maximum: number): Fault {
  return { type: 'less_than_equal', msg: `Input should be less than or equal to ${maximum}`, ctx: { le: maximum } };
}

export function tooMany(maxItems: number, actual: number): Fault {
  return {
    type: 'too_long',
    msg: `List should have at most ${maxItems} items after validation, not ${actual}`,
    ctx: { field_type: 'List', max_length: maxItems, actual_length: actual },
  };
}

export function tooFew(minItems: number, actual: number): Fault {
  return {
    type: 'too_short',
    msg: `List should have at least ${minItems} item${minItems === 1 ? '' : 's'} after validation, not ${actual}`,
    ctx: { field_type: 'List', min_length: minItems, actual_length: actual },
  };
}

export function patternMismatch(pattern: string): Fault {
  return {
    type: 'string_pattern_mismatch',
    msg: `String should match pattern '${pattern}'`,
    ctx: { pattern },
  };
}

export function notEmail(reason: string): Fault {
  return { type: 'value_error', msg: `value is not a valid email address: ${reason}`, ctx: { reason } };
}

export function notLiteral(values: readonly string[]): Fault {
  const expected = oneOf(values);
  return { type: 'literal_error', msg: `Input should be ${expected}`, ctx: { expected } };
}

export function notEnum(values: readonly string[]): Fault {
  const expected = oneOf(values);
  return { type: 'enum', msg: `Input should be ${expected}`, ctx: { expected } };
}

export function notBase64(reason: string): Fault {
  return {
    type: 'bytes_invalid_encoding',
    msg: `Data should be valid base64: ${reason}`,
    ctx: { encoding: 'base64', encoding_error: reason },
  };
}

function oneOf(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}
