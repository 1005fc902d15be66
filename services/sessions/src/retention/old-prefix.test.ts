import { expect, test } from 'vitest';
import { oldPrefix } from './old-prefix.ts';

/** One letter for each event: upper case begins a turn, `o` and `O` are old. */
const eventsOf = (letters: string) =>
  letters.split('').map((letter, index) => ({
    seq: index + 1,
    ts: letter.toLowerCase() === 'o' ? 1 : 100,
    turn_start: letter === letter.toUpperCase(),
  }));

test.each([
  ['OoOo', true, 4],
  ['OoOoFf', true, 4],
  ['OoOf', true, 2],
  ['Ooof', true, 0],
  ['Ff', true, 0],
  ['ooF', true, 2],
  ['oof', true, 2],
  ['', true, 0],
  ['OoOo', false, 2],
  ['Oooo', false, 4],
  ['oooo', false, 4],
  ['OoFf', false, 2],
])('of the events %j (the last ones: %s), the first %i may go', (letters, isAll, count) => {
  expect(oldPrefix(eventsOf(letters), 50, isAll)).toBe(count);
});
