import { expect, test } from 'vitest';
import { lineOf } from './line-of.ts';

const textOf = (...args: Parameters<typeof lineOf>): string => Buffer.from(lineOf(...args)).toString();

test('a record is one line, also when its JSON was stored on several', () => {
  const stored = Buffer.from('{\r\n  "text": "a\\nb",\n  "n": 1.50\n}');
  const line = textOf({ kind: 'event', of: { sessionId: 's\n1' }, data: stored });
  expect(line.indexOf('\n')).toBe(line.length - 1);
  expect(line).toContain('"n": 1.50');
  expect(JSON.parse(line)).toEqual({ kind: 'event', of: { sessionId: 's\n1' }, data: { text: 'a\nb', n: 1.5 } });
});

test('a record without names has its kind and its data', () => {
  expect(textOf({ kind: 'limit', data: { scope: 'account' } })).toBe('{"kind":"limit","data":{"scope":"account"}}\n');
});
