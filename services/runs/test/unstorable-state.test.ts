import { FunctionTool, LlmAgent } from '@google/adk';
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
  ['too much for the scope', 'app:more', 70, 'more than 120 bytes in one scope'],
])('a tool that writes %s gets the error, and the run goes on', async (_, key, size, error) => {
  const bench = benchWith(key, size);
  const { events } = await bench.run();
  expect(JSON.stringify(events[1])).toContain(error);
  expect(events.at(-1)).toMatchObject({ content: { parts: [{ text: 'went on' }] } });
  expect(bench.sessions.state(bench.key)).toEqual({ 'app:old': 'y'.repeat(50) });
  expect(bench.sessions.run(bench.key).end?.outcome).toBe(AttemptEnd_Outcome.COMPLETED);
});

test('a tool may write as much as the limits allow', async () => {
  const bench = benchWith('small', 70);
  await bench.run();
  expect(bench.sessions.state(bench.key)).toMatchObject({ small: 'x'.repeat(70) });
});
