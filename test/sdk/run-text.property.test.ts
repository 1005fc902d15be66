import type { RunEvent } from '@agentmesh/client';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTextReader } from '../../sdk/typescript/src/runs/run-text.ts';

/** A message as its model streams it: parts of it in partial events, some of which are lost, and then the whole. */
const message = fc.record({
  author: fc.constantFrom('a', 'b'),
  deltas: fc.array(fc.string({ maxLength: 5 })),
  told: fc.nat(),
  gapAt: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
});
type Message = typeof message extends fc.Arbitrary<infer T> ? T : never;

const says = (author: string, text: string, partial: boolean) =>
  ({ author, partial, content: { parts: [{ text }] } }) as RunEvent;

function eventsOf({ author, deltas, told, gapAt }: Message): RunEvent[] {
  const partials = deltas.slice(0, told % (deltas.length + 1)).map((text) => says(author, text, true));
  const gap = { gap: { upTo: '0-1' } };
  const seen = gapAt === undefined ? partials : [...partials.slice(0, gapAt), gap, ...partials.slice(gapAt + 1)];
  return [...seen, says(author, deltas.join(''), false)];
}

/** Messages of agents that speak at the same time: their events in turns. Those of one agent keep their order. */
function inTurns(messages: readonly Message[]): RunEvent[] {
  const lines = ['a', 'b'].map((author) => messages.filter((one) => one.author === author).flatMap(eventsOf));
  const longest = Math.max(...lines.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lines.flatMap((line) => line.slice(at, at + 1))).flat();
}

test('the text of a run has each word once, also where agents speak at the same time and partial events are lost', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 6 }), (messages) => {
      const events = inTurns(messages);
      const textOf = createTextReader();
      const told = { a: '', b: '' };
      for (const event of events) {
        const text = textOf(event);
        if (event.gap === undefined) told[event.author as 'a' | 'b'] += text;
      }
      for (const author of ['a', 'b'] as const) {
        const own = messages.filter((one) => one.author === author).flatMap(({ deltas }) => deltas);
        expect(told[author]).toBe(own.join(''));
      }
    }),
  );
});
