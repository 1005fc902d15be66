import fc from 'fast-check';
import { expect, test } from 'vitest';
import { activeCompactions, openSpans, readView, type View, viewUpTo, withCompaction, withRewind } from './view.ts';

type Step = { readonly events: number } | { readonly before: number } | { readonly compact: number };

/** A turn of some events, a rewind before an earlier turn, or a summary up to some event. */
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ events: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 1, arbitrary: fc.record({ before: fc.nat(9) }) },
    { weight: 2, arbitrary: fc.record({ compact: fc.nat(9) }) },
  ),
  { maxLength: 30 },
);

/** An event of the log: of a turn, of a rewind before `target`, or of a summary of `covers`. */
type Entry = 'said' | { readonly target: number } | { readonly last: number; readonly covers: readonly number[] };

/** ADK's rule: events are read from the newest to the oldest, and a rewind skips what it names. Without summaries. */
function visibleByAdk(log: readonly Entry[]): number[] {
  const seen: number[] = [];
  for (let seq = log.length; seq > 0; seq--) {
    const entry = log[seq - 1];
    if (typeof entry === 'object' && 'target' in entry) seq = entry.target;
    else if (entry === 'said') seen.unshift(seq);
  }
  return seen;
}

interface Played {
  readonly log: readonly Entry[];
  readonly view: View;
}

/** The session after each step. */
function play(list: readonly Step[]): Played[] {
  let view = readView(null);
  let log: readonly Entry[] = [];
  const turns: number[] = [];
  return list.map((step) => {
    const seq = log.length + 1;
    if ('events' in step) {
      turns.push(seq);
      log = [...log, ...Array.from({ length: step.events }, (): Entry => 'said')];
    } else if ('before' in step) {
      const first = turns[step.before % (turns.length || 1)];
      if (first !== undefined) {
        log = [...log, { target: first }];
        view = withRewind(view, { first, last: seq });
      }
    } else {
      const seen = visibleByAdk(log);
      const last = seen[seen.length - 1 - (step.compact % (seen.length || 1))];
      if (last !== undefined) {
        log = [...log, { last, covers: seen.filter((at) => at <= last) }];
        view = withCompaction(view, { seq, first: 1, last });
      }
    }
    return { log, view };
  });
}

/** The events that agents see, and those that summaries stand for. */
function seenIn({ log, view }: Played) {
  const active = activeCompactions(view);
  const isSaid = (seq: number): boolean => log[seq - 1] === 'said';
  const open = openSpans(view, { active, upTo: log.length }).flatMap(({ first, last }) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index).filter(isSaid),
  );
  const covered = active.flatMap(({ seq }) => {
    const entry = log[seq - 1];
    return typeof entry === 'object' && 'covers' in entry ? entry.covers : [];
  });
  return { open: open.toSorted((a, b) => a - b), covered, active };
}

test('summaries and the events behind them tell each event that ADK shows once, and none that was rewound', () => {
  fc.assert(
    fc.property(steps, fc.nat(120), (list, cut) => {
      const states = play(list);
      for (const state of states) {
        const { open, covered, active } = seenIn(state);
        expect(active.length).toBeLessThanOrEqual(1);
        expect([...covered, ...open]).toEqual(visibleByAdk(state.log));
      }
      // A copy is the session as it was when it was as long.
      const state = states.at(-1);
      const part = states.findLast(({ log }) => log.length <= cut);
      if (state === undefined || part === undefined) return;
      const length = part.log.length;
      const copy = { log: state.log.slice(0, length), view: viewUpTo(state.view, length) };
      expect(seenIn(copy)).toEqual(seenIn(part));
    }),
    { numRuns: 500 },
  );
});

test('a summary is used as long as nothing that it covers is rewound', () => {
  const one = withCompaction(readView(null), { seq: 7, first: 1, last: 4 });
  expect(activeCompactions(withRewind(one, { first: 5, last: 9 }))).toHaveLength(1);
  expect(activeCompactions(withRewind(one, { first: 4, last: 9 }))).toEqual([]);
  expect(activeCompactions(withRewind(one, { first: 7, last: 9 }))).toEqual([]);
  const two = withCompaction(one, { seq: 12, first: 1, last: 11 });
  expect(activeCompactions(two).map(({ seq }) => seq)).toEqual([12]);
  expect(activeCompactions(withRewind(two, { first: 9, last: 14 })).map(({ seq }) => seq)).toEqual([7]);
  expect(activeCompactions(two, 11)).toEqual([]);
});
