import { completeActions, type EventJson, toWireEvent } from '@agentmesh/proto/event';
import { expect, test } from 'vitest';
import { HistoryEvent, type HistoryWindow } from '../../apps/turns/history/history-window.ts';
import { promptTokens } from './prompt-tokens.ts';

const window: HistoryWindow = {
  sessionPk: 1n,
  timeline: '',
  lastSeq: 1,
  events: [new HistoryEvent(new Uint8Array(400), true)],
};

function answer(usageMetadata?: { promptTokenCount: number }) {
  const event: EventJson = {
    id: '1',
    author: 'a',
    invocationId: 'e',
    timestamp: 1,
    actions: completeActions(undefined),
  };
  return toWireEvent({ ...event, ...(usageMetadata && { usageMetadata }) });
}

test('the tokens of a request are those that the last model reported, else a quarter of the bytes', () => {
  expect(promptTokens(window, [answer({ promptTokenCount: 7 }), answer({ promptTokenCount: 9 }), answer()])).toBe(9);
  const plain = answer();
  expect(promptTokens(window, [plain])).toBe(Math.ceil((400 + plain.json.length) / 4));
});
