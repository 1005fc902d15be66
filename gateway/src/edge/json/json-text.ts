import { isUtf8 } from 'node:buffer';
import { parseExactly } from '@agentmesh/proto/exact-json';
import { BadRequest, InvalidRequest } from '../errors/request-error.ts';
import { pathToInfinity } from './finite-numbers.ts';
import { findJsonFault } from './json-fault.ts';

/** Deepest nesting. No record of the contract is deeper, and every recursive walk of a body can take it. */
const depthLimit = 200;

/**
 * Parses a JSON body; an empty one is null, and long integers keep all digits. Throws BadRequest for a body that is not UTF-8, and
 * InvalidRequest for invalid JSON, deep nesting and numbers that no double can hold.
 */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return null;
  const text = decode(body);
  const deep = offsetOfDepth(text);
  if (deep !== undefined) throw invalid(deep, `Nesting is deeper than ${depthLimit} levels`);
  const value = parse(text);
  const path = pathToInfinity(value);
  if (path !== undefined) throw notFinite(path);
  return value;
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
  return text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text;
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

/** Offset at which the nesting passes the limit. Ignores brackets inside strings. */
function offsetOfDepth(text: string): number | undefined {
  let depth = 0;
  for (let offset = 0; offset < text.length; offset += 1) {
    const code = text.charCodeAt(offset);
    if (code === 0x22) offset = endOfString(text, offset);
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > depthLimit) return offset;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return undefined;
}

/** Offset of the closing quote of the string that opens at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}
