import type { Part, StreamResponse } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import { TaskTelling } from './task-telling.ts';

const run = { accountId: 'a', appName: 'echo', userId: 'user', sessionId: 's', invocationId: 'e-1' };

/** Tells an answer of many words, one partial event for each, and the whole. */
function tell(words: readonly string[], thought: boolean): StreamResponse[] {
  const telling = new TaskTelling(run);
  const frameOf = (text: string, partial: number) => {
    const event = { author: 'echo', partial: partial > 0, content: { parts: [{ text, thought }] } };
    return { frame: { seq: 1, partial, json: Buffer.from(JSON.stringify(event)) } };
  };
  const told = words.flatMap((word, index) => telling.take(frameOf(word, index + 1)));
  return [...told, ...telling.take(frameOf(words.join(''), 0))];
}

const textOf = (parts: readonly Part[] = []): string =>
  parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');

const words = Array.from({ length: 20_000 }, (_, index) => `word ${index} `);

test('an answer of 20,000 pieces is told in fewer than a thousand, which have each word once', () => {
  const updates = tell(words, false).flatMap(({ payload }) =>
    payload?.$case === 'artifactUpdate' ? payload.value : [],
  );
  const texts = updates.map(({ artifact }) => textOf(artifact?.parts));
  expect(updates.length).toBeLessThan(1_000);
  expect(words.join('').startsWith(texts.slice(0, -1).join(''))).toBe(true);
  expect([texts.at(-1), updates.at(-1)?.append, updates.at(-1)?.lastChunk]).toEqual([words.join(''), false, true]);
});

test('a thought of 20,000 pieces is told in fewer than a thousand messages, which have each word once', () => {
  const parts = tell(words, true).flatMap(({ payload }) =>
    payload?.$case === 'statusUpdate' ? (payload.value.status?.message?.parts ?? []) : [],
  );
  expect(parts.length).toBeLessThan(1_000);
  expect(textOf(parts)).toBe(words.join(''));
});
