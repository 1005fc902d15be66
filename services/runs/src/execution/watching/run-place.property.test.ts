import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encode } from '../../../test/stored-session.ts';
import { type Frame, type Partials, RunPlace } from './run-place.ts';

const json = encode({});

/** A step: a partial event that arrives or is lost, a stored event, a look into the store, or a cut of the viewer's connection. */
type Step = 'partial' | 'stored' | 'lost partial' | 'look' | 'cut';
const steps = fc.array(fc.constantFrom<Step>('partial', 'stored', 'lost partial', 'look', 'cut'), { maxLength: 80 });

/** Runs the steps, and returns the number of stored events and the frames that the viewer got, over all its connections. */
function play(all: readonly Step[]): { stored: number; frames: Frame[] } {
  let stored = 1;
  let partials = 0;
  let place = new RunPlace({ seq: 0, partial: 0 });
  const frames: Frame[] = [];
  const look = () => {
    const events = Array.from({ length: stored }, (_, index) => ({ seq: index + 1, json }));
    frames.push(...place.stored(events.filter(({ seq }) => seq > place.seq)));
  };
  const hear = (news: Partials) => {
    look();
    frames.push(...place.partials(news));
  };
  for (const step of all) {
    if (step === 'stored') [stored, partials] = [stored + 1, 0];
    if (step === 'partial' || step === 'lost partial') partials += 1;
    if (step === 'partial') hear({ lastSeq: stored, firstPartial: partials, partials: [{ json }] });
    if (step === 'look') look();
    if (step !== 'cut') continue;
    const { seq = 0, partial = 0 } = frames.at(-1) ?? {};
    place = new RunPlace({ seq, partial });
    hear({ lastSeq: stored, firstPartial: 1, partials: Array.from({ length: partials }, () => ({ json })) });
  }
  look();
  return { stored, frames };
}

test('each stored event comes once and in order, and a missing partial one is told, whatever is lost and wherever a viewer is cut off', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const { stored, frames } = play(all);
      const whole = frames.filter(({ partial }) => partial === 0).map(({ seq }) => seq);
      expect(whole).toEqual(Array.from({ length: stored }, (_, index) => index + 1));
      frames.forEach(({ seq = 0, partial = 0, json: text }, index) => {
        const before = frames[index - 1] ?? { seq: 0, partial: 0 };
        if (partial === 0) return;
        const reached = before.seq === seq ? (before.partial ?? 0) : 0;
        expect(seq).toBeGreaterThanOrEqual(before.seq ?? 0);
        if (text?.length === 0) expect(partial).toBeGreaterThan(reached);
        else expect(partial).toBe(reached + 1);
      });
    }),
  );
});
