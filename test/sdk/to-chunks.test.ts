import type { RunEvent } from '@agentmesh/client';
import { expect, test } from 'vitest';
import { createChunker } from '../../sdk/typescript/src/ai/to-chunks.ts';

const says = (author: string, text: string, over: object = {}) =>
  ({ author, content: { parts: [{ text }] }, ...over }) as RunEvent;
const gap: RunEvent = { gap: { upTo: '0-3' } };

/** The texts of a stream of chunks, in the order of their beginnings. */
function textsOf(events: readonly RunEvent[]): string[] {
  const chunker = createChunker();
  const texts = new Map<string, string>();
  for (const chunk of [...events.flatMap((event) => chunker.add(event)), ...chunker.end()]) {
    if (chunk.type === 'text-delta') texts.set(chunk.id, (texts.get(chunk.id) ?? '') + chunk.delta);
  }
  return [...texts.values()];
}

test('words of an attempt that died are a text of their own before the other words of the next one', () => {
  const events = [says('a', 'Hello wor', { partial: true }), says('a', 'Good day, friend')];
  expect(textsOf(events)).toEqual(['Hello wor', 'Good day, friend']);
});

test('partial events behind a gap are not told before the whole one has filled it', () => {
  const events = [
    says('a', 'one ', { partial: true }),
    gap,
    says('a', 'three', { partial: true }),
    says('a', 'one two three'),
  ];
  expect(textsOf(events)).toEqual(['one two three']);
});

test('a gap of one agent lasts while another one says something whole', () => {
  const events = [
    says('a', 'one ', { partial: true }),
    gap,
    says('b', 'Hi'),
    says('a', 'three', { partial: true }),
    says('a', 'one two three'),
  ];
  expect(textsOf(events)).toEqual(['one two three', 'Hi']);
});
