import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Days } from '../store/retention/app-rules.ts';
import { keptDays } from './kept-days.ts';

const days = fc.option(fc.integer({ min: 1, max: 36_500 }), { nil: null });
const maybeDays = fc.option(days, { nil: undefined });
const declared = fc.array(maybeDays, { maxLength: 3 });
const sayings = fc.record({ own: maybeDays, declared, usual: maybeDays, setting: days });

const isShorter = (a: Days, b: Days): boolean => a !== null && (b === null || a < b);

test('the rule of the account for the app comes first, then the app, then the other rule of the account, then the setting', () => {
  fc.assert(
    fc.property(sayings, (given) => {
      const [first] = given.declared;
      const said = [given.own, first, given.usual, given.setting].find((value) => value !== undefined);
      expect(keptDays({ ...given, declared: given.declared.slice(0, 1) })).toBe(said ?? null);
    }),
  );
});

test('another declaration of an app never shortens what counts while the former one counts too', () => {
  fc.assert(
    fc.property(sayings, maybeDays, (given, next) => {
      const before = keptDays(given);
      const after = keptDays({
        ...given,
        declared: [next, ...(given.declared.length === 0 ? [undefined] : given.declared)],
      });
      expect(isShorter(after, before)).toBe(false);
    }),
  );
});
