import { expect, test } from 'vitest';
import { type Environment, parseSettings } from './parse-settings.ts';
import { daysFrom, meshAddress, timerSeconds, wholeNumberFrom } from './validators.ts';

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

test('a time that no timer of Node holds is refused, because it would be over at once', () => {
  const parse = (env: Environment) => parseSettings({ WAIT: timerSeconds({ default: 1 }) }, env);
  expect(parse({ WAIT: '2147483' })).toMatchObject({ WAIT: 2_147_483 });
  for (const value of ['2147484', '2592000', '9999999999', '0', '-5', 'NaN'])
    expect(() => parse({ WAIT: value })).toThrow('WAIT must be a whole number from 1 to 2147483');
});

test('days that lead to no time of PostgreSQL are refused', () => {
  const parse = (env: Environment) => parseSettings({ KEEP: daysFrom(0)({ default: 1 }) }, env);
  expect(parse({ KEEP: '1000000' })).toMatchObject({ KEEP: 1_000_000 });
  expect(() => parse({ KEEP: '999999999' })).toThrow('KEEP must be a whole number from 0 to 1000000');
});

test.each([
  'http://127.0.0.1:9101',
  'https://mesh.example/',
  'auth:9101',
  'dns:///auth.ns:9101',
  'http://[::1]:9101',
  'unix:///run/auth.sock',
])('an address of a service may be %s', (value) => {
  expect(parseSettings({ AT: meshAddress({ default: '' }) }, { AT: ` ${value}` })).toMatchObject({ AT: value });
});

test.each([
  'http:/auth:9101',
  'HTTP://auth:9101',
  'DNS:///auth:9101',
  'htp://auth:9101',
  'http://auth:9101/rpc',
  'http://auth:99999',
  'auth:port',
  'grpc://user@auth:9101',
  'two words',
])('an address at which no service can be reached is refused: %s', (value) => {
  const parse = () => parseSettings({ AT: meshAddress({ default: '' }) }, { AT: value });
  expect(parse).toThrow('AT must be an address such as http://auth:9101 or dns:///auth:9101');
});
