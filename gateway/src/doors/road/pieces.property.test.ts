import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTeller, type Piece } from './pieces.ts';

const frameOf = (event: object) => ({ json: Buffer.from(JSON.stringify(event)) });
const gap = { json: new Uint8Array(0) };

type Words = 'text' | 'thought';

/** A message as its model streams it: parts of it in partial events, some of which are lost, and then the whole. */
const message = fc.record({
  author: fc.constantFrom('a', 'b'),
  branch: fc.constantFrom<string>('', 'x'),
  deltas: fc.array(fc.record({ words: fc.constantFrom<Words>('text', 'thought'), text: fc.string({ maxLength: 5 }) })),
  told: fc.nat(),
  gapAt: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
});
type Message = typeof message extends fc.Arbitrary<infer T> ? T : never;

function framesOf({ author, branch, deltas, told, gapAt }: Message) {
  const partOf = ({ words, text }: { words: Words; text: string }) => ({ text, thought: words === 'thought' });
  const partials = deltas
    .slice(0, told % (deltas.length + 1))
    .map((delta) => frameOf({ author, branch, partial: true, content: { parts: [partOf(delta)] } }));
  const seen = gapAt === undefined ? partials : [...partials.slice(0, gapAt), gap, ...partials.slice(gapAt + 1)];
  return [...seen, frameOf({ author, branch, content: { parts: deltas.map(partOf) } })];
}

/** Messages of agents that speak at the same time: their frames in turns. Those of one agent keep their order. */
function inTurns(messages: readonly Message[]) {
  const lines = ['a', 'b'].map((author) => messages.filter((one) => one.author === author).flatMap(framesOf));
  const longest = Math.max(...lines.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lines.flatMap((line) => line.slice(at, at + 1))).flat();
}

function said(pieces: readonly Piece[], words: Words): string {
  return pieces.map((piece) => (piece.kind === 'delta' && piece.words === words ? piece.text : '')).join('');
}

test('pieces have each word of each message once, however much of it came in partial events, and whatever of these is lost', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 6 }), (messages) => {
      const teller = createTeller();
      const pieces = [...messages.flatMap(framesOf).flatMap((frame) => teller.add(frame)), ...teller.end()];
      for (const words of ['text', 'thought'] as const) {
        const all = messages.flatMap(({ deltas }) => deltas.filter((delta) => delta.words === words));
        expect(said(pieces, words)).toBe(all.map(({ text }) => text).join(''));
      }
    }),
  );
});

test('each text is opened before its words and closed once behind them, also where its run breaks off', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 6 }), fc.nat(), (messages, cut) => {
      const teller = createTeller();
      const frames = messages.flatMap(framesOf);
      const told = frames.slice(0, cut % (frames.length + 1)).flatMap((frame) => teller.add(frame));
      const states = new Map<string, string>();
      for (const piece of [...told, ...teller.end()]) {
        if (!('words' in piece)) continue;
        const before = { open: undefined, delta: 'open', close: 'open' }[piece.kind];
        expect(states.get(piece.id)).toBe(before);
        states.set(piece.id, piece.kind === 'close' ? 'closed' : 'open');
      }
      expect([...states.values()].filter((state) => state !== 'closed')).toEqual([]);
    }),
  );
});

test('agents that speak at the same time keep their words apart, also behind a gap', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 6 }), (all) => {
      const messages = all.map((one) => ({ ...one, branch: one.author }));
      const teller = createTeller();
      const pieces = inTurns(messages).flatMap((frame) => teller.add(frame));
      for (const author of ['a', 'b']) {
        const own = messages.filter((one) => one.author === author).flatMap(({ deltas }) => deltas);
        const ids = new Set(
          pieces.flatMap((piece) => (piece.kind === 'open' && piece.author === author ? piece.id : [])),
        );
        const told = pieces.map((piece) => (piece.kind === 'delta' && ids.has(piece.id) ? piece.text : '')).join('');
        const letters = (text: string) => text.split('').toSorted().join('');
        expect(letters(told)).toBe(letters(own.map(({ text }) => text).join('')));
      }
    }),
  );
});

test('the words of an attempt that died are not mixed with the other words of the next one', () => {
  const teller = createTeller();
  const event = (text: string, over: object = {}) => frameOf({ author: 'a', content: { parts: [{ text }] }, ...over });
  const pieces = [event('Hello wor', { partial: true }), event('Good day, friend')].flatMap((one) => teller.add(one));
  expect(pieces).toEqual([
    { kind: 'open', id: 'text-1', words: 'text', author: 'a' },
    { kind: 'delta', id: 'text-1', words: 'text', text: 'Hello wor' },
    { kind: 'close', id: 'text-1', words: 'text', isLeft: true },
    { kind: 'open', id: 'text-2', words: 'text', author: 'a' },
    { kind: 'delta', id: 'text-2', words: 'text', text: 'Good day, friend' },
    { kind: 'close', id: 'text-2', words: 'text' },
  ]);
});
