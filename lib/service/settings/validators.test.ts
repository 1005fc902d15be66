import { expect, test } from 'vitest';
import { type Environment, parseSettings } from './parse-settings.ts';
import { wholeNumberFrom } from './validators.ts';

test.each(['1073741824', '1099511627776', String(Number.MAX_SAFE_INTEGER)])(
  'a limit of bytes may be set to %s',
  (value) => {
    const limit = { LIMIT: wholeNumberFrom(1, Number.MAX_SAFE_INTEGER)({ default: 1 }) };
    expect(parseSettings(limit, { LIMIT: value })).toMatchObject({ LIMIT: Number(value) });
  },
);

test.each(['0', '11', '-1', '1.5', '1e1', 'NaN', 'ten', '9'.repeat(17)])(
  'a number that is not in its range is refused: %s',
  (value) => {
    const parse = (env: Environment) => parseSettings({ LIMIT: wholeNumberFrom(1, 10)({ default: 1 }) }, env);
    expect(() => parse({ LIMIT: value })).toThrow('LIMIT must be a whole number from 1 to 10');
  },
);
