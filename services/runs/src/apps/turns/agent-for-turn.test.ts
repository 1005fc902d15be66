import { LlmAgent } from '@google/adk/core';
import { completeActions, type EventJson } from '@agentmesh/proto/event';
import { expect, test } from 'vitest';
import { agentForTurn } from './agent-for-turn.ts';
import { fromPublicEvent } from './events/event-json.ts';
import { summaryEvent } from './events/summaries.ts';

const porter = new LlmAgent({ name: 'porter', model: 'm', disallowTransferToParent: true });
const cook = new LlmAgent({ name: 'cook', model: 'm' });
const root = new LlmAgent({ name: 'desk', model: 'm', subAgents: [porter, cook] });

function summaryOf(authors: readonly string[]): EventJson {
  const record = { startTimestamp: 1, endTimestamp: 2, compactedContent: { role: 'model', parts: [{ text: 'x' }] } };
  return summaryEvent({ id: 's', invocationId: 'e', timestamp: 3, record, authors, facts: {} });
}

const said: EventJson = {
  id: 'u',
  author: 'user',
  invocationId: 'e',
  timestamp: 4,
  actions: completeActions(undefined),
};
const choose = (...events: EventJson[]) =>
  agentForTurn(
    events.map((event) => fromPublicEvent(Buffer.from(JSON.stringify(event)))),
    root,
  ).name;

test('the agent that spoke last goes on, also when a summary covers what it said', () => {
  expect(choose({ ...said, author: 'cook' }, said)).toBe('cook');
  expect(choose(summaryOf(['cook', 'desk']), said)).toBe('cook');
  // The user cannot talk to it directly.
  expect(choose(summaryOf(['porter', 'cook']), said)).toBe('cook');
  expect(choose(summaryOf(['gone']), said)).toBe('desk');
  expect(choose(summaryOf(['cook']), { ...said, author: 'desk' }, said)).toBe('desk');
});
