/** Position and reason of a JSON syntax error, worded as Python's `json` does. */
export interface JsonFault {
  readonly offset: number;
  readonly error: string;
}

const literals = ['true', 'false', 'null'];
const numberToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

type Expectation = 'value' | 'first key' | 'key' | 'colon' | 'first item' | 'comma';

/**
 * Finds the first syntax error of a text that JSON.parse has refused. Works without recursion, so depth is unlimited. The contract
 * prescribes Python's positions, which no library gives: docs/adr/0010.
 */
export function findJsonFault(text: string): JsonFault {
  const open: ('{' | '[')[] = [];
  let expected: Expectation = 'value';
  let offset = 0;
  for (;;) {
    offset = skipBlanks(text, offset);
    const step = takeStep(text, offset, expected);
    if ('error' in step) return step;
    offset = step.next;
    expected = step.expected;
    if (step.opens !== undefined) open.push(step.opens);
    if (step.closes) open.pop();
    if (expected !== 'comma') continue;
    const after = afterValue(text, skipBlanks(text, offset), open.at(-1));
    if ('error' in after) return after;
    offset = after.next;
    expected = after.expected;
    if (after.closes) open.pop();
  }
}

interface Step {
  readonly next: number;
  readonly expected: Expectation;
  readonly opens?: '{' | '[';
  readonly closes?: boolean;
}

function takeStep(text: string, offset: number, expected: Expectation): Step | JsonFault {
  const char = text[offset];
  if (expected === 'comma') return { next: offset, expected };
  if (expected === 'colon') {
    return char === ':' ? { next: offset + 1, expected: 'value' } : { offset, error: "Expecting ':' delimiter" };
  }
  if (expected === 'first key' && char === '}') return { next: offset + 1, expected: 'comma', closes: true };
  if (expected === 'first item' && char === ']') return { next: offset + 1, expected: 'comma', closes: true };
  if (expected === 'first key' || expected === 'key') {
    if (char !== '"') return { offset, error: 'Expecting property name enclosed in double quotes' };
    return takeString(text, offset, 'colon');
  }
  return takeValue(text, offset);
}

function takeValue(text: string, offset: number): Step | JsonFault {
  const char = text[offset];
  if (char === '{') return { next: offset + 1, expected: 'first key', opens: '{' };
  if (char === '[') return { next: offset + 1, expected: 'first item', opens: '[' };
  if (char === '"') return takeString(text, offset, 'comma');
  const literal = literals.find((word) => text.startsWith(word, offset));
  if (literal !== undefined) return { next: offset + literal.length, expected: 'comma' };
  numberToken.lastIndex = offset;
  const number = numberToken.exec(text);
  if (number === null) return { offset, error: 'Expecting value' };
  return { next: offset + number[0].length, expected: 'comma' };
}

function takeString(text: string, start: number, expected: Expectation): Step | JsonFault {
  let offset = start + 1;
  while (offset < text.length) {
    const char = text.charAt(offset);
    if (char === '"') return { next: offset + 1, expected };
    if (char < ' ') return { offset, error: 'Invalid control character at' };
    if (char !== '\\') offset += 1;
    else if (text[offset + 1] === 'u') {
      if (!/^[0-9a-fA-F]{4}$/.test(text.slice(offset + 2, offset + 6))) {
        return { offset: offset + 1, error: 'Invalid \\uXXXX escape' };
      }
      offset += 6;
    } else if (offset + 1 < text.length && !'"\\/bfnrt'.includes(text.charAt(offset + 1))) {
      return { offset, error: 'Invalid \\escape' };
    } else offset += 2;
  }
  return { offset: start, error: 'Unterminated string starting at' };
}

function afterValue(text: string, offset: number, inside: '{' | '[' | undefined): Step | JsonFault {
  const char = text[offset];
  if (inside === undefined) return { offset, error: 'Extra data' };
  if (char === ',') return { next: offset + 1, expected: inside === '{' ? 'key' : 'value' };
  if (char === (inside === '{' ? '}' : ']')) return { next: offset + 1, expected: 'comma', closes: true };
  return { offset, error: "Expecting ',' delimiter" };
}

function skipBlanks(text: string, from: number): number {
  let offset = from;
  while (offset < text.length && ' \t\n\r'.includes(text.charAt(offset))) offset += 1;
  return offset;
}
