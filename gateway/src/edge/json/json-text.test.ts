import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequest } from '../errors/request-error.ts';
import { parseJsonBody } from './json-text.ts';

function faultOf(text: string): unknown {
  try {
    parseJsonBody(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    const [issue] = error.issues;
    if (issue?.type === 'finite_number') return { infinite: issue.loc.slice(1) };
    return [issue?.loc[1], issue?.ctx?.error];
  }
  return undefined;
}

/** The number that a path leads to. */
function valueAt(json: string, path: readonly string[]): number {
  let value: unknown = JSON.parse(json);
  for (const key of path) value = (value as Record<string, unknown>)[key];
  return value as number;
}

describe('broken JSON is located', () => {
  it.each([
    ['{bad', 1, 'Expecting property name enclosed in double quotes'],
    ['{', 1, 'Expecting property name enclosed in double quotes'],
    ['x', 0, 'Expecting value'],
    [' ', 1, 'Expecting value'],
    ['[1,]', 3, 'Expecting value'],
    ['{"a" 1}', 5, "Expecting ':' delimiter"],
    ['{"a":1 "b":2}', 7, "Expecting ',' delimiter"],
    ['{"a":1,}', 7, 'Expecting property name enclosed in double quotes'],
    ['{"a":NaN}', 5, 'Expecting value'],
    ['{"a":-Infinity}', 5, 'Expecting value'],
    ['[01]', 2, "Expecting ',' delimiter"],
    ['{} {}', 3, 'Extra data'],
    ['"abc', 0, 'Unterminated string starting at'],
    ['"a\\x"', 2, 'Invalid \\escape'],
    ['"\\u12"', 2, 'Invalid \\uXXXX escape'],
    ['"a\nb"', 2, 'Invalid control character at'],
    ['{"é": tru}', 6, 'Expecting value'],
  ])('%j at %d: %s', (text, offset, error) => {
    expect(faultOf(text)).toEqual([offset, error]);
  });
});

describe('JSON', () => {
  it('whose number no double holds is located by its path', () => {
    expect(faultOf('{"a":[1,-1e400]}')).toEqual({ infinite: ['a', 1] });
    expect(faultOf('1e400')).toEqual({ infinite: [] });
  });

  it('is parsed unchanged, except for a byte order mark', () => {
    expect(parseJsonBody(Buffer.from('\ufeff{"a":[1]}'))).toEqual({ a: [1] });
    expect(parseJsonBody(Buffer.alloc(0))).toBeNull();
  });

  it('may nest 200 levels and no deeper; brackets in strings do not count', () => {
    expect(faultOf('['.repeat(200) + ']'.repeat(200))).toBeUndefined();
    expect(faultOf('['.repeat(1_000_000))).toEqual([200, 'Nesting is deeper than 200 levels']);
    expect(faultOf(JSON.stringify(`\\"${'['.repeat(500)}"`))).toBeUndefined();
  });

  it('is either read or located, whatever is sent', () => {
    const text = fc.oneof(fc.json(), fc.string({ unit: fc.constantFrom(...'{}[]",:\\ \n0-1.eEtruefalsn'.split('')) }));
    const damaged = fc.tuple(text, fc.nat(), fc.string()).map(([json, at, noise]) => {
      const cut = at % (json.length + 1);
      return json.slice(0, cut) + noise + json.slice(cut);
    });
    fc.assert(
      fc.property(damaged, (json) => {
        const fault = faultOf(json) as [number, string] | { infinite: string[] } | undefined;
        if (fault === undefined) return;
        if ('infinite' in fault) {
          expect(Math.abs(valueAt(json, fault.infinite))).toBe(Infinity);
        } else {
          expect(fault[0]).toBeLessThanOrEqual(json.length);
          expect(fault[1]).not.toBe('');
        }
      }),
      { numRuns: 3_000 },
    );
  });
});
