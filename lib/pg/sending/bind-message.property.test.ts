import fc from 'fast-check';
import pg from 'pg';
import { serialize } from 'pg-protocol';
import { expect, test } from 'vitest';
import { bindMessage } from './bind-message.ts';

const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;

const long = fc.string({ minLength: 40, maxLength: 60, unit: 'binary' });
const values = fc.array(
  fc.oneof(
    fc.string(),
    long,
    fc.string({ unit: 'binary-ascii', maxLength: 500 }),
    fc.integer(),
    fc.double(),
    fc.bigInt(),
    fc.boolean(),
    fc.constantFrom(null, undefined, 'x'.repeat(30_000), 'ß'.repeat(20_000)),
    fc.uint8Array(),
    fc.date({ noInvalidDate: true }),
    fc.array(fc.string()),
    fc.object(),
  ),
  { maxLength: 40 },
);

test('the message is the one of the library, whatever the values are', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), values, (statement, given) => {
      const expected = serialize.bind({ statement, values: given, valueMapper: prepareValue });
      expect(bindMessage(statement, given).equals(expected)).toBe(true);
    }),
  );
});

test('a value that cannot be a parameter is refused, and the next message is whole', () => {
  const refused = {
    toPostgres: () => {
      throw new Error('no');
    },
  };
  expect(() => bindMessage('a', ['before', refused])).toThrow('no');
  expect(bindMessage('b', [1]).equals(serialize.bind({ statement: 'b', values: ['1'] }))).toBe(true);
});
