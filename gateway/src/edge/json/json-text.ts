import { isUtf8 } from 'node:buffer';
import { parseExactly } from '@agentmesh/proto/exact-json';
import { BadRequest, InvalidRequest } from '../errors/request-error.ts';
import { pathToInfinity } from './finite-numbers.ts';
import { type JsonSize, measureJson } from './json-bounds.ts';
import type { JsonExcess } from './json-counter.ts';
import { findJsonFault } from './json-fault.ts';

const byteOrderMark = 0xfe_ff;

/**
 * Parses a JSON body; an empty one is null, and long integers keep all digits. Throws BadRequest for a body that is not UTF-8, and
 * InvalidRequest for invalid JSON, deep nesting, too many values and numbers that no double can hold.
 * `size` is that of the body, if it was measured before.
 */
export function parseJsonBody(body: Buffer, size?: JsonSize): unknown {
  if (body.length === 0) return null;
  const { excess } = size ?? measureJson(body);
  if (excess !== undefined) throw excessive(body, excess);
  const text = decode(body);
  const value = parse(text);
  const path = pathToInfinity(value);
  if (path !== undefined) throw notFinite(path);
  return value;
}

/** Error for a JSON text that passes a limit. `body` is the text, at least up to the byte at which it does. */
export function excessive(body: Buffer, { at, error }: JsonExcess): InvalidRequest {
  return invalid(offsetInText(body, at), error);
}

function parse(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    const { offset, error } = findJsonFault(text);
    throw invalid(offset, error);
  }
}

/** Text of a body, without a byte order mark. Throws BadRequest for a body that is not UTF-8. */
export function decode(body: Buffer): string {
  if (!isUtf8(body)) throw new BadRequest('There was an error parsing the body');
  const text = body.toString();
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text;
}

function invalid(offset: number, error: string): InvalidRequest {
  return new InvalidRequest([
    { type: 'json_invalid', loc: ['body', offset], msg: 'JSON decode error', input: {}, ctx: { error } },
  ]);
}

function notFinite(path: readonly (string | number)[]): InvalidRequest {
  const msg = 'Input should be a finite number';
  return new InvalidRequest([{ type: 'finite_number', loc: ['body', ...path], msg, input: null }]);
}

/** Offset in the decoded text of a byte of the body. */
function offsetInText(body: Buffer, at: number): number {
  const before = body.toString('utf8', 0, at);
  return before.length - Number(before.charCodeAt(0) === byteOrderMark);
}
