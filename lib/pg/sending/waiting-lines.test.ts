import { expect, test } from 'vitest';
import { WaitingLines } from './waiting-lines.ts';

function linesOf(text: string): WaitingLines<string> {
  const lines = new WaitingLines<string>();
  for (const [index, name] of text.split('').entries()) lines.push(name, `${name}${index}`);
  return lines;
}

test('a line that is alone is taken whole', () => {
  const lines = linesOf('aaaa');
  expect([lines.take(3, 1), lines.take(3, 1), lines.take(3, 1)]).toEqual([['a0', 'a1', 'a2'], ['a3'], []]);
});

test('a long line keeps others waiting for a few of its items only, and each line keeps its order', () => {
  const lines = linesOf('aaaaaabac');
  expect(lines.take(9, 2)).toEqual(['a0', 'a1', 'b6', 'c8']);
  lines.push('b', 'b9');
  expect(lines.take(3, 2)).toEqual(['a2', 'a3', 'b9']);
  expect(lines.size).toBe(3);
  expect(lines.take(9, 2)).toEqual(['a4', 'a5', 'a7']);
});

test('a line that was cut short is the first of the next turn but one, so that none waits for ever', () => {
  const lines = linesOf('aabbcc');
  expect([lines.take(2, 2), lines.take(2, 2), lines.take(2, 2)]).toEqual([
    ['a0', 'a1'],
    ['b2', 'b3'],
    ['c4', 'c5'],
  ]);
});

test('a line that was empty has its turn behind those that came before', () => {
  const lines = linesOf('a');
  expect(lines.take(9, 9)).toEqual(['a0']);
  for (const name of ['b', 'a', 'b']) lines.push(name, `${name}1`);
  expect([lines.take(2, 1), lines.size, lines.take(9, 9)]).toEqual([['b1', 'a1'], 1, ['b1']]);
});

test('items that nobody wants any more are dropped', () => {
  const lines = linesOf('aabcc');
  lines.keep((item) => !['a1', 'b2'].includes(item));
  expect(lines.size).toBe(3);
  expect(lines.take(9, 9)).toEqual(['a0', 'c3', 'c4']);
});
