import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultOf, type Operation } from './register-history.ts';

const write = (value: string, startedAt: number, endedAt: number): Operation => ({
  kind: 'write',
  value,
  startedAt,
  endedAt,
});
const read = (value: string | undefined, startedAt: number, endedAt: number): Operation => ({
  kind: 'read',
  value,
  startedAt,
  endedAt,
});

describe('a history of a register', () => {
  test.each<[string, Operation[]]>([
    ['reads nothing before the first write', [read(undefined, 0, 1), write('a', 2, 3), read('a', 4, 5)]],
    [
      'reads either of two writes at the same time',
      [write('a', 0, 9), write('b', 1, 8), read('b', 2, 3), read('a', 4, 5)],
    ],
    ['never shows a write without an answer', [write('a', 0, 1), write('b', 2, Infinity), read('a', 9, 10)]],
    [
      'shows a write without an answer late',
      [write('a', 0, 1), write('b', 2, Infinity), read('a', 3, 4), read('b', 5, 6)],
    ],
  ])('that %s is linearizable', (_, history) => expect(faultOf(history)).toBeUndefined());

  test.each<[string, Operation[]]>([
    ['loses a write', [write('a', 0, 1), read(undefined, 2, 3)]],
    ['reads an older value after a newer one', [write('a', 0, 1), write('b', 2, 3), read('b', 4, 5), read('a', 6, 7)]],
    ['reads a value that was replaced', [write('a', 0, 1), write('b', 2, 3), read('a', 4, 5)]],
    ['reads what nobody wrote', [read('x', 0, 1)]],
    ['reads a value before its write', [read('a', 0, 1), write('a', 2, 3)]],
    [
      'takes back a write without an answer',
      [write('a', 0, 1), write('b', 2, Infinity), read('b', 3, 4), read('a', 5, 6)],
    ],
  ])('that %s is not', (_, history) => expect(faultOf(history)).toBeDefined());

  test('is judged like a search through all orders', () => {
    fc.assert(fc.property(histories, (history) => (faultOf(history) === undefined) === hasOrder(history, undefined)));
  });
});

/** Up to six calls: writes of values of their own, some without an answer, and reads of any of them. */
const histories = fc
  .array(
    fc.record({ isWrite: fc.boolean(), of: fc.nat(3), start: fc.nat(20), length: fc.nat(8), isLost: fc.boolean() }),
    { maxLength: 6 },
  )
  .map((calls) =>
    calls.map(({ isWrite, of, start, length, isLost }, index): Operation => {
      // Times are told apart by the index: two calls never start or end at the same moment.
      const [startedAt, endedAt] = [start + index / 100, start + length + 0.5 + index / 100];
      if (isWrite) return { kind: 'write', value: String(index), startedAt, endedAt: isLost ? Infinity : endedAt };
      return { kind: 'read', value: of === 3 ? undefined : String(of), startedAt, endedAt };
    }),
  );

/** Whether some order of the calls fits their times, and each read gets the latest write. A write without an answer may be left out. */
function hasOrder(rest: readonly Operation[], value: string | undefined): boolean {
  if (rest.every(({ kind, endedAt }) => kind === 'write' && endedAt === Infinity)) return true;
  const firstEnd = Math.min(...rest.map(({ endedAt }) => endedAt));
  return rest.some((next) => {
    if (next.startedAt > firstEnd) return false;
    if (next.kind === 'read' && next.value !== value) return false;
    return hasOrder(
      rest.filter((one) => one !== next),
      next.kind === 'write' ? next.value : value,
    );
  });
}
