import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isVisible, readView, type View, viewUpTo, visibleSpans, withRewind } from './view.ts';

/** A step of a session: a turn of some events, or a rewind before an earlier turn. */
const steps = fc.array(
  fc.oneof(fc.record({ events: fc.integer({ min: 1, max: 4 }) }), fc.record({ before: fc.nat(9) })),
  {
    maxLength: 25,
  },
);

interface Played {
  readonly view: View;
  /** For each event the sequence before which it rewinds; 0 for others. */
  readonly targets: readonly number[];
}

function play(list: readonly ({ events: number } | { before: number })[]): Played {
  let view = readView(null);
  const targets: number[] = [];
  const turns: number[] = [];
  for (const step of list) {
    if ('events' in step) {
      turns.push(targets.length + 1);
      for (let n = 0; n < step.events; n++) targets.push(0);
      continue;
    }
    const first = turns[step.before % (turns.length || 1)];
    if (first === undefined) continue;
    targets.push(first);
    view = withRewind(view, { first, last: targets.length });
  }
  return { view, targets };
}

/** ADK's rule: events are read from the newest to the oldest, and a rewind skips what it names. */
function visibleByAdk(targets: readonly number[]): number[] {
  const seen: number[] = [];
  for (let seq = targets.length; seq > 0; seq--) {
    const target = targets[seq - 1] ?? 0;
    if (target > 0) seq = target;
    else seen.unshift(seq);
  }
  return seen;
}

const seqsOf = (view: View, last: number): number[] =>
  visibleSpans(view, last)
    .toReversed()
    .flatMap((span) => Array.from({ length: span.last - span.first + 1 }, (_, index) => span.first + index));

test('agents see the events that ADK shows a model after any rewinds, also in a copy up to any event', () => {
  fc.assert(
    fc.property(steps, fc.nat(100), (list, cut) => {
      const { view, targets } = play(list);
      expect(seqsOf(view, targets.length)).toEqual(visibleByAdk(targets));
      expect(targets.flatMap((_, index) => (isVisible(view, index + 1) ? [index + 1] : []))).toEqual(
        visibleByAdk(targets),
      );
      const last = Math.min(cut, targets.length);
      expect(seqsOf(viewUpTo(play(list).view, last), last)).toEqual(visibleByAdk(targets.slice(0, last)));
    }),
    { numRuns: 300 },
  );
});
