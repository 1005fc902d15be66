import { FunctionTool, LlmAgent } from '@google/adk/core';
import { AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import { expect, test } from 'vitest';
import { createAgentBench } from './run-agents.ts';
import { calls, says, ScriptLlm } from './script-llm.ts';

function benchWith(key: string, size: number) {
  const tool = new FunctionTool({
    name: 'note',
    description: 'Writes a value.',
    execute: (_input, context) => {
      context?.state.set(key, 'x'.repeat(size));
      return { done: true };
    },
  });
  const model = new ScriptLlm(calls('note'), says('went on'));
  const bench = createAgentBench(new LlmAgent({ name: 'helper', model, tools: [tool] }), {
    state: { 'app:old': 'y'.repeat(50) },
  });
  bench.sessions.stateLimits = { stateMaxValueBytes: 80, stateMaxScopeBytes: 120 };
  return bench;
}

test.each([
  ['a value that is too large', 'big', 100, 'more than 80 bytes'],
  ['under a key that is too long', 'k'.repeat(1025), 1, 'at most 1024 bytes'],
  ['under a key with NUL', 'app:a\0', 1, 'no NUL character'],
  ['under a key with half of a character', 'a\ud83d', 1, 'no half of a surrogate pair'],
  ['too much for the scope', 'app:more', 70, 'more than 120 bytes in one scope'],
])('a tool that writes %s gets the error, and the run goes on', async (_, key, size, error) => {
  const bench = benchWith(key, size);
  const { events } = await bench.run();
  expect(JSON.stringify(events[1])).toContain(error);
  expect(events.at(-1)).toMatchObject({ content: { parts: [{ text: 'went on' }] } });
  expect(bench.sessions.state(bench.key)).toEqual({ 'app:old': 'y'.repeat(50) });
  expect(bench.sessions.run(bench.key).end?.outcome).toBe(AttemptEnd_Outcome.COMPLETED);
});

test('of tools that are called together, only the one that wrote it gets the error', async () => {
  const tool = (name: string, answer: object, key?: string): FunctionTool =>
    new FunctionTool({
      name,
      description: 'Writes a value, or none.',
      execute: (_input, context) => {
        if (key !== undefined) context?.state.set(key, 'x'.repeat(100));
        return answer;
      },
    });
  const tools = [tool('reads', { id: 7 }), tool('writes', { done: true }, 'id'), tool('names', { text: 'the id' })];
  const together = tools.map(({ name }) => calls(name)[0]?.content?.parts?.[0] ?? {});
  const model = new ScriptLlm([{ content: { role: 'model', parts: together } }], says('went on'));
  const bench = createAgentBench(new LlmAgent({ name: 'helper', model, tools }));
  bench.sessions.stateLimits = { stateMaxValueBytes: 80, stateMaxScopeBytes: 120 };
  const { events } = await bench.run();
  const answers = events.flatMap((event) => JSON.stringify(event).match(/"response":\{[^}]*\}/g) ?? []);
  expect(answers).toEqual([
    '"response":{"id":7}',
    expect.stringContaining('more than 80 bytes'),
    '"response":{"text":"the id"}',
  ]);
  expect(JSON.stringify(events)).not.toContain('stateKeysOfCalls');
});

test('a tool may write as much as the limits allow', async () => {
  const bench = benchWith('small', 70);
  await bench.run();
  expect(bench.sessions.state(bench.key)).toMatchObject({ small: 'x'.repeat(70) });
});
