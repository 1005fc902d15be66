import { expect, test } from 'vitest';
import { createNarrator } from './events-of-pieces.ts';

const narrate = (events: readonly object[], answered: readonly string[] = []) => {
  const narrator = createNarrator({ runId: 'r', answered: new Set(answered) });
  const frames = events.map((event) => ({ json: Buffer.from(JSON.stringify({ author: 'agent', ...event })) }));
  return [...frames.flatMap((frame) => narrator.add(frame)), ...narrator.end()];
};

const parts = (...all: object[]) => ({ content: { parts: all } });

test('thoughts are reasoning, before the text and in a span of their own', () => {
  const events = narrate([
    { partial: true, ...parts({ text: 'hm', thought: true }) },
    { partial: true, ...parts({ text: 'a' }) },
    parts({ text: 'hm', thought: true }, { text: 'ab' }),
  ]);
  expect(events).toEqual([
    { type: 'REASONING_START', messageId: 'r:thought-1' },
    { type: 'REASONING_MESSAGE_START', messageId: 'r:thought-1', role: 'reasoning' },
    { type: 'REASONING_MESSAGE_CONTENT', messageId: 'r:thought-1', delta: 'hm' },
    { type: 'TEXT_MESSAGE_START', messageId: 'r:text-2', role: 'assistant', name: 'agent' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'r:text-2', delta: 'a' },
    { type: 'REASONING_MESSAGE_END', messageId: 'r:thought-1' },
    { type: 'REASONING_END', messageId: 'r:thought-1' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'r:text-2', delta: 'b' },
    { type: 'TEXT_MESSAGE_END', messageId: 'r:text-2' },
  ]);
});

test('what is still open when a run breaks off is closed', () => {
  const events = narrate([{ partial: true, ...parts({ text: 'hm', thought: true }) }]);
  expect(events.map(({ type }) => type).slice(-2)).toEqual(['REASONING_MESSAGE_END', 'REASONING_END']);
});

test('the text that stands for the result of a call that waits for approval is left out, and the result is told', () => {
  const confirmation = { id: 'c2', name: 'adk_request_confirmation', args: { originalFunctionCall: { id: 'c1' } } };
  const resultOf = (id: string, name: string, response: object) => ({ functionResponse: { id, name, response } });
  const events = narrate([
    parts({ functionCall: { id: 'c1', name: 'pay', args: {} } }),
    parts({ functionCall: confirmation }),
    parts(resultOf('c1', 'pay', { error: 'requires confirmation' })),
    { author: 'user', ...parts(resultOf('c2', 'adk_request_confirmation', { confirmed: true })) },
    parts(resultOf('c1', 'pay', { paid: 'yes' })),
  ]);
  const results = events.flatMap((event) => (event.type === 'TOOL_CALL_RESULT' ? event : []));
  expect(results.map(({ toolCallId, content, messageId }) => [toolCallId, content, messageId])).toEqual([
    ['c2', '{"confirmed":true}', 'agentmesh-result:r:1'],
    ['c1', '{"paid":"yes"}', 'agentmesh-result:r:2'],
  ]);
});

test('a result that the page has sent itself is not told to it, and a file is base64 as pages read it', () => {
  const functionResponse = { id: 'c1', name: 'ask', response: { result: 'x' } };
  const inlineData = { mimeType: 'image/png', data: '-_8=' };
  expect(narrate([{ author: 'user', ...parts({ functionResponse }) }, parts({ inlineData })], ['c1'])).toEqual([
    { type: 'CUSTOM', name: 'agentmesh.file', value: { mimeType: 'image/png', data: '+/8=' } },
  ]);
});
