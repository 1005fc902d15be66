import type { Days } from '../store/retention/app-rules.ts';

/** All that says for how long the runs and events of an app are kept. */
export interface Sayings {
  /** The account's rule for the app. */
  readonly own?: Days | undefined;
  /** Declarations of the app that count: now, and in the last day. Undefined: it says nothing. */
  readonly declared: readonly (Days | undefined)[];
  /** The account's rule for all other apps. */
  readonly usual?: Days | undefined;
  /** The setting of the server. */
  readonly setting: Days;
}

/** The first that says something counts: the account's rule for the app, the app, the account's other rule, the setting; of several declarations the longest. */
export function keptDays({ own, declared, usual, setting }: Sayings): Days {
  if (own !== undefined) return own;
  const other = usual === undefined ? setting : usual;
  const [first, ...more] = declared.map((days) => (days === undefined ? other : days));
  return first === undefined ? other : more.reduce(longest, first);
}

function longest(a: Days, b: Days): Days {
  return a === null || b === null ? null : Math.max(a, b);
}
