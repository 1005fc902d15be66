import { createEvent } from '@google/adk/core';
import type { Part } from '@google/genai';
import { expect, test } from 'vitest';
import { askingInvocations, cutEvents } from './cut-events.ts';

/** `u`: a turn begins; `c1`: calls 1; `r1`: answers 1; `l1`: calls the long-running 1; other words: text. The invocation is `e-<number of the turn>`. */
function eventsOf(words: string) {
  let turn = 0;
  return words.split(' ').map((word, index) => {
    if (word === 'u') turn += 1;
    const id = word.slice(1);
    const part: Part = /^[cl]\d/.test(word)
      ? { functionCall: { id, name: 'tool' } }
      : /^r\d/.test(word)
        ? { functionResponse: { id, name: 'tool', response: {} } }
        : { text: word };
    const event = createEvent({
      author: word === 'u' ? 'user' : 'agent',
      invocationId: `e-${turn}`,
      content: { parts: [part] },
      longRunningToolIds: word.startsWith('l') ? [id] : [],
    });
    return { seq: index + 1, turnStart: word === 'u', event };
  });
}

const nothing = { more: false, hasOpenRun: false, isOpen: () => false };

test.each([
  ['all turns that are over', 'u c1 r1 a u a', {}, 6],
  ['a call that will never be answered', 'u c1 u a', {}, 4],
  ['not from the turn on that waits for an answer', 'u a u c1 u a', { isOpen: (id: string) => id === 'e-2' }, 2],
  ['not a long-running call that has its first response', 'u a u l1 r1 a', { isOpen: (id: string) => id === 'e-2' }, 2],
  ['nothing, when the first turn waits', 'u c1 u a', { isOpen: () => true }, 0],
  ['no call at the end whose response follows', 'u a c1 c2', { more: true }, 2],
  ['no open call while another run is not over', 'u a u c1 u a', { hasOpenRun: true, more: true }, 2],
])('a summary covers %s', (_, words, options, count) => {
  expect(cutEvents(eventsOf(words), { ...nothing, ...options })).toHaveLength(count);
});

test('runs are asked about only for calls that may still be answered', () => {
  expect(askingInvocations(eventsOf('u c1 r1 a u c2 u l3 r3'))).toEqual(['e-2', 'e-3']);
});
