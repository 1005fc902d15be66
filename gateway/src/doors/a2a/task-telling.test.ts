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

type Said = readonly [partial: number, ...parts: readonly { readonly text?: string; readonly thought?: boolean }[]];

/** Tells what an agent says; without parts it is a gap. */
function tellAll(events: readonly Said[]) {
  const telling = new TaskTelling(run);
  const told = events.flatMap(([partial, ...parts]) => {
    const event = JSON.stringify({ author: 'echo', partial: partial > 0, content: { parts } });
    return telling.take({ frame: { seq: 1, partial, json: Buffer.from(parts.length === 0 ? '' : event) } });
  });
  const updates = told.flatMap(({ payload }) => (payload?.$case === 'artifactUpdate' ? payload.value : []));
  const shown = updates.map(({ artifact, append, lastChunk }) => ({
    id: artifact?.artifactId,
    text: textOf(artifact?.parts),
    append,
    lastChunk,
  }));
  return { shown, artifacts: telling.task.artifacts };
}

test('the text of the next executor replaces the words of one that died, in the artifact that the task has later', () => {
  const whole: Said = [0, { text: 'Good day' }];
  const streamed = tellAll([[1, { text: 'Hello wor' }], [1_000_000], [1_000_001, { text: 'Good' }], whole]);
  expect(streamed.shown).toEqual([
    { id: 'text-1', text: 'Hello wor', append: false, lastChunk: false },
    { id: 'text-1', text: '', append: false, lastChunk: false },
    { id: 'text-1', text: 'Good day', append: false, lastChunk: true },
  ]);
  expect(streamed.artifacts).toEqual(tellAll([whole]).artifacts);
});

test('artifacts have the ids that the task has later, also behind thoughts of an executor that died', () => {
  const whole: Said = [0, { text: 'Aha', thought: true }, { text: 'Good day' }];
  const dead: Said = [1, { text: 'Hm', thought: true }, { text: 'Hello' }];
  const streamed = tellAll([dead, [1_000_000], whole, [0, { text: 'Bye' }]]);
  expect(streamed.artifacts).toEqual(tellAll([whole, [0, { text: 'Bye' }]]).artifacts);
});

test('words of an executor that died are taken back where the next one thinks before it speaks, or says no text', () => {
  const dead: Said = [1, { text: 'Hello wor' }];
  const call: Said = [0, {}];
  const later: readonly Said[] = [
    [1, { text: 'Aha', thought: true }],
    [0, { text: 'Aha', thought: true }, { text: 'Good day' }],
  ];
  const thinking = tellAll([dead, [1_000_000], call, ...later]);
  const kept = new Map(thinking.shown.map(({ id, text }) => [id, text]));
  expect([...kept.values()].filter((text) => text !== '')).toEqual(['Good day']);
  const silent = tellAll([dead, [1_000_000], call]);
  expect([silent.artifacts, silent.shown.at(-1)?.text]).toEqual([[], '']);
});
