import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Roster } from './roster.ts';

test('a roster holds what was added and not taken out, in any order of changes', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(), { nil: 'add' as const, freq: 2 }), { maxLength: 100 }), (steps) => {
      const roster = new Roster<number>();
      const present = new Map<number, () => void>();
      for (const [item, step] of steps.entries()) {
        if (step === 'add') {
          present.set(item, roster.add(item));
          continue;
        }
        const leaving = [...present][step % present.size];
        if (leaving === undefined) continue;
        present.delete(leaving[0]);
        leaving[1]();
        leaving[1]();
      }
      expect([...roster].toSorted((one, other) => one - other)).toEqual([...present.keys()]);
      expect(roster.size).toBe(present.size);
    }),
  );
});

test('removing items during an iteration skips none of the others', () => {
  const roster = new Roster<number>();
  const leave = [0, 1, 2, 3].map((item) => roster.add(item));
  const walked: number[] = [];
  for (const item of roster) {
    walked.push(item);
    leave[item]?.();
  }
  expect(walked).toEqual([0, 1, 2, 3]);
  expect(roster.size).toBe(0);
});
