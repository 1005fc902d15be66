import { expect, test } from 'vitest';
import { storableUsage } from './storable.ts';

const stored = (text: string) => storableUsage(Buffer.from(text));

test('the use of a run that has only numbers is stored as it was sent', () => {
  const usual = JSON.stringify({
    modelCalls: 3,
    totalTokenCount: 1_234,
    seconds: 12.3,
    cost: 0.000_123,
    cost_2: 1.5e-7,
  });
  for (const text of [usual, '{"cost":1.50}', '{"cost":-0}', '{"a":1E21}', `{"a":${Number.MAX_SAFE_INTEGER}}`])
    expect(stored(text)).toBe(text);
  expect(stored('')).toBeNull();
});

test('nothing but finite numbers is kept of the use of a run, and no name that PostgreSQL cannot read', () => {
  expect(stored('{"cost":"dear","modelCalls":1}')).toBe('{"modelCalls":1}');
  expect(stored('{"cost":1e999,"n":null,"o":{"cost":1},"l":[1],"t":true}')).toBe('{}');
  expect(stored(JSON.stringify({ 'a\0b\ud800\\u0000': 1 }))).toBe(String.raw`{"a\ufffdb\ufffd\\u0000":1}`);
  expect(stored('{ "cost": 1.50 }')).toBe('{"cost":1.5}');
  expect(stored('null')).toBe('{}');
  for (const broken of ['{"cost":01}', '{"cost":1,}', '{"cost":1}\n}', '{"cost":.5}'])
    expect(() => stored(broken)).toThrow();
});
