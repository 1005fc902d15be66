import { randomBytes } from 'node:crypto';

declare global {
  interface JSON {
    /** Returns a value that JSON.stringify prints as this text. It is at stage 4 of the standard, but TypeScript does not know it yet. */
    rawJSON(text: string): ExactInteger;
    isRawJSON(value: unknown): value is ExactInteger;
  }
}

/** An integer that a double cannot represent. It prints with its original digits; to compute with it, use `Number(rawJSON)`. */
export interface ExactInteger {
  readonly rawJSON: string;
}

/** Returns whether a parsed value is an integer that was kept as its digits. */
export function isExactInteger(value: unknown): value is ExactInteger {
  return JSON.isRawJSON(value);
}

const manyDigits = /\d{16}/;
const integer = /-?[1-9]\d{15,}/y;

/**
 * Like JSON.parse, but integers beyond 2^53 keep their digits, so that printing gives the same number again. For text without
 * such a long number it costs only one search. (A reviver, which sees the source of each number, takes seconds for a large
 * body.)
 */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!manyDigits.test(text)) return value;
  const found: ExactInteger[] = [];
  const mark = randomBytes(9).toString('base64url');
  const marked = markIntegers(text, mark, found);
  // The marks replace numbers in valid JSON, and their random part cannot be guessed.
  return found.length === 0 ? value : restore(JSON.parse(marked), mark, found);
}

/** Replaces every integer that a double would round by a marked string. */
function markIntegers(text: string, mark: string, found: ExactInteger[]): string {
  const pieces: string[] = [];
  let taken = 0;
  for (let offset = 0; offset < text.length; offset += 1) {
    const code = text.charCodeAt(offset);
    if (code === 0x22) offset = endOfString(text, offset);
    else if (isNumberStart(code)) {
      const end = endOfNumber(text, offset);
      integer.lastIndex = offset;
      const literal = integer.exec(text)?.[0] ?? '';
      if (literal.length === end - offset && !Number.isSafeInteger(Number(literal))) {
        pieces.push(text.slice(taken, offset), `"${mark}${found.length}"`);
        found.push(JSON.rawJSON(literal));
        taken = end;
      }
      offset = end - 1;
    }
  }
  return found.length === 0 ? text : pieces.join('') + text.slice(taken);
}

function restore(value: unknown, mark: string, found: readonly ExactInteger[]): unknown {
  if (typeof value === 'string') return value.startsWith(mark) ? found[Number(value.slice(mark.length))] : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) value[index] = restore(value[index], mark, found);
    return value;
  }
  const record = value as Record<string, unknown>;
  for (const key in record) {
    const old = record[key];
    const restored = restore(old, mark, found);
    if (restored !== old) define(record, key, restored);
  }
  return value;
}

/** Defines a property. An assignment would not work for the key `__proto__`. */
function define(record: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}

function isNumberStart(code: number): boolean {
  return code === 0x2d || (code >= 0x30 && code <= 0x39);
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isOfNumber(text.charCodeAt(end))) end += 1;
  return end;
}

function isOfNumber(code: number): boolean {
  return isNumberStart(code) || code === 0x2b || code === 0x2e || code === 0x45 || code === 0x65;
}

/** Returns the index of the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
