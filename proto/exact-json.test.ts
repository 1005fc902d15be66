import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isExactInteger, parseExactly } from './exact-json.ts';

describe('an integer beyond 2^53', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '{"a":[12345678901234567890,1],"b":{"c":-98765432109876543210}}',
    '[ 18446744073709551615 ]',
    '{"__proto__":12345678901234567890}',
    '{"text":"12345678901234567890","n":12345678901234567890,"quoted \\" 12345678901234567":1}',
  ])('is printed with the digits it was read with: %s', (text) => {
    expect(JSON.stringify(parseExactly(text)).replaceAll(' ', '')).toBe(
      text.replaceAll(/(?<=\[) | (?=\])/g, '').replaceAll(' ', ''),
    );
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    ['1000000000000000', 1e15],
    ['0.12345678901234567890', 0.12345678901234568],
    ['1.5e300', 1.5e300],
    ['12345678901234567e2', 1234567890123456800],
    ['1e0000000000000000001', 10],
    ['"12345678901234567890"', '12345678901234567890'],
  ])('is the only number that is kept so: %s is not', (text, value) => {
    expect(parseExactly(text)).toBe(value);
  });

  it('is different from an object of the same shape', () => {
    expect(isExactInteger(parseExactly('12345678901234567890'))).toBe(true);
    expect(isExactInteger(parseExactly('{"rawJSON":"12345678901234567890"}'))).toBe(false);
  });

  it.each([
    '{12345678901234567890:1}',
    '{ 12345678901234567890 : 1 }',
    '012345678901234567890',
    '[1 12345678901234567890]',
  ])('is no way to have text read that is no JSON: %s', (text) => {
    expect(() => parseExactly(text)).toThrow(SyntaxError);
  });
});

describe('any JSON', () => {
  const long = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      long.map(String),
      fc.jsonValue().map((one) => JSON.stringify(one)),
      tie('list'),
      tie('map'),
    ),
    list: fc.array(tie('value')).map((items) => `[${items.join(',')}]`),
    map: fc
      .uniqueArray(fc.tuple(fc.string({ unit: 'binary' }), tie('value')), { selector: ([key]) => key })
      .map((entries) => `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${String(one)}`).join(',')}}`),
  }));

  it('has the same value after it is parsed and printed', () => {
    fc.assert(
      fc.property(value as fc.Arbitrary<string>, (text) => {
        const printed = JSON.stringify(parseExactly(text));
        expect(digitsOf(printed)).toEqual(digitsOf(text));
        expect(JSON.parse(printed)).toEqual(JSON.parse(text));
      }),
      { numRuns: 2_000 },
    );
  });

  /** The long integers outside of strings. */
  function digitsOf(text: string): string[] {
    const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
    const found = outside.match(/(?<![\d.eE+-])-?[1-9]\d{15,}(?![\d.eE])/g) ?? [];
    return found.toSorted();
  }
});
