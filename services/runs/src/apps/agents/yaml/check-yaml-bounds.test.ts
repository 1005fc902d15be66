import { expect, test } from 'vitest';
import { checkYamlBounds } from './check-yaml-bounds.ts';

const size = 250_000;

test.each([
  ['[', 'is nested too deeply'],
  ['{', 'is nested too deeply'],
  ['a: {', 'is nested too deeply'],
  ['- ', 'is nested too deeply'],
  ['? ', 'is nested too deeply'],
  [': ', 'is nested too deeply'],
  ['!a ', 'has more than 100 tags, anchors and aliases'],
  ['&a ', 'has more than 100 tags, anchors and aliases'],
  ['- *a\n', 'has more than 100 tags, anchors and aliases'],
  ['"\n', 'has more than 10000 elements'],
  ['a:\n', 'has more than 10000 elements'],
  ['%a\n', 'has more than 10000 elements'],
])('a text of %j, again and again, is refused before it is parsed', (part, reason) => {
  expect(checkYamlBounds(part.repeat(size / part.length))).toBe(reason);
});

test('levels by indentation are bounded', () => {
  const lines = Array.from({ length: 300 }, (_, level) => `${' '.repeat(level)}k:`);
  expect(checkYamlBounds(lines.join('\n'))).toBe('is nested too deeply');
});

test.each([
  ['instruction of many lines', `instruction: |\n${'  - [{ "!a &b *c" }]: x\n'.repeat(10_000)}`],
  ['quoted text', `instruction: "${'[{- ? : !a &b '.repeat(10_000)}"`],
  ['list of a thousand', `tags: [${'x, '.repeat(1_000)}]\nname: "a"`],
  ['lines', Array.from({ length: 300 }, (_, line) => `  - key${line}: [a, {b: c}] # why`).join('\n')],
])('%s is not', (_what, text) => {
  expect(checkYamlBounds(text)).toBeUndefined();
});
