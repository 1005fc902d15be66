import { createEvent } from '@google/adk/core';
import { AttemptEnd_Outcome, TurnSchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { decode, encode } from '../../../test/stored-session.ts';
import { createOpenCalls } from './open-calls.ts';

const asking = (ids: readonly string[], args: Record<string, unknown> = {}) => {
  const parts = ids.map((id) => ({ functionCall: { id, name: 'ask', args } }));
  return createEvent({ author: 'a', id: 'e', content: { role: 'model', parts }, longRunningToolIds: [...ids] });
};
const answering = (id: string) => ({ role: 'user', parts: [{ functionResponse: { id, name: 'ask', response: {} } }] });
const waitingForOf = (calls: ReturnType<typeof createOpenCalls>) => {
  const { waitingForJson } = calls.completion();
  return waitingForJson && decode(waitingForJson);
};

test('a run waits for the calls of long-running tools that have no response, and for nothing else', () => {
  const calls = createOpenCalls(create(TurnSchema));
  const short = createEvent({ content: { parts: [{ functionCall: { id: 'short', name: 'quick' } }] } });
  for (const event of [short, asking(['a', 'b'], { q: 1 }), createEvent({ content: answering('a') })])
    calls.note(event);
  expect(waitingForOf(calls)).toEqual([{ functionCallId: 'b', name: 'ask', args: { q: 1 }, eventId: 'e' }]);
  calls.note(createEvent({ content: answering('b') }));
  expect(calls.completion()).toEqual({ outcome: AttemptEnd_Outcome.COMPLETED });
});

test('a run of which one of two calls was answered goes on waiting for the other', () => {
  const before = createOpenCalls(create(TurnSchema));
  before.note(asking(['a', 'b']));
  const { waitingForJson = encode([]) } = before.completion();
  const calls = createOpenCalls(create(TurnSchema, { waitingForJson, messageJson: encode(answering('b')) }));
  expect(waitingForOf(calls)).toMatchObject([{ functionCallId: 'a' }]);
});

test('large arguments are left out', () => {
  const calls = createOpenCalls(create(TurnSchema));
  calls.note(asking(['a'], { text: 'x'.repeat(40_000) }));
  expect(waitingForOf(calls)).toEqual([{ functionCallId: 'a', name: 'ask', eventId: 'e' }]);
});
