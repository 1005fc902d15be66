import { expect, test } from 'vitest';
import { encode } from '../../../test/stored-session.ts';
import { type Frame, RunPlace } from './run-place.ts';

const partialsOf = (texts: string, firstPartial: number) => ({
  lastSeq: 4,
  firstPartial,
  partials: Array.from(texts, (text) => ({ json: encode({ text }) })),
});

const shown = (frames: readonly Frame[]) =>
  frames.map(({ partial = 0, json = new Uint8Array(0) }) => `${partial}:${Buffer.from(json).toString()}`);

test('a viewer who has heard an executor that died gets a gap, and then all words of the one that took the run over', () => {
  const place = new RunPlace({ seq: 4, partial: 0 });
  place.partials(partialsOf('ab', 1));
  const frames = shown(place.partials(partialsOf('cde', 1_000_001)));
  expect(frames).toEqual(['1000000:', '1000001:{"text":"c"}', '1000002:{"text":"d"}', '1000003:{"text":"e"}']);
  expect(place.partials(partialsOf('x', 3))).toEqual([]);
});

test('a viewer who has heard nothing of an executor that died gets the words of the next one without a gap', () => {
  const place = new RunPlace({ seq: 4, partial: 0 });
  expect(shown(place.partials(partialsOf('c', 1_000_001)))).toEqual(['1000001:{"text":"c"}']);
});
