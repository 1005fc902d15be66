import { type BaseTool, FunctionTool, LlmAgent, LongRunningFunctionTool, SequentialAgent } from '@google/adk/core';
import { FinishReason, type Part, Type } from '@google/genai';
import { AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test } from 'vitest';
import { AnsweringLlm } from '../src/apps/building/agents/answering-llm.ts';
import { createAgentBench } from './run-agents.ts';
import { calls, says, ScriptLlm } from './script-llm.ts';

const thinks = (...parts: Part[]) => [
  { content: { role: 'model', parts: [{ text: 'Hm. ', thought: true }, ...parts] } },
];
const outputSchema = { type: Type.OBJECT, properties: { color: { type: Type.STRING } } };

describe('the state under output_key', () => {
  test('has what a model answers without what it thinks, and so have the agents behind it', async () => {
    const first = new LlmAgent({ name: 'first', model: new ScriptLlm(thinks({ text: 'blue' })), outputKey: 'color' });
    const model = new ScriptLlm(says('ok'));
    const second = new LlmAgent({ name: 'second', model, instruction: 'It is {color}.' });
    const bench = createAgentBench(new SequentialAgent({ name: 'both', subAgents: [first, second] }));
    await bench.run();
    expect(JSON.stringify(model.requests[0]?.config?.systemInstruction)).toContain('It is blue.');
    expect(bench.sessions.state(bench.key)).toEqual({ color: 'blue' });
  });

  test('has what a model answers in a stream without what it thinks', async () => {
    const partial = { content: { role: 'model', parts: [{ text: 'Hm. ', thought: true }] }, partial: true };
    const [whole] = thinks({ text: 'blue' });
    const model = new ScriptLlm([partial, { ...whole, partial: false }]);
    const bench = createAgentBench(new LlmAgent({ name: 'first', model, outputKey: 'color' }));
    await bench.run({ streaming: true });
    expect(bench.sessions.state(bench.key)).toEqual({ color: 'blue' });
  });

  test('is read by the output schema although the model has thought before', async () => {
    const model = new ScriptLlm(thinks({ text: '{"color":"blue"}' }));
    const bench = createAgentBench(new LlmAgent({ name: 'first', model, outputKey: 'answer', outputSchema }));
    await bench.run();
    expect(bench.sessions.state(bench.key)).toEqual({ answer: { color: 'blue' } });
  });

  const execute = () => undefined;
  const asks = { name: 'ask', description: 'asks' };
  test.each<[string, BaseTool]>([
    ['a long-running tool', new LongRunningFunctionTool({ ...asks, execute })],
    ['an approval', new FunctionTool({ ...asks, execute, requireConfirmation: true })],
  ])('stays while the agent waits for %s', async (_, ask) => {
    const waits = calls('ask');
    waits[0]?.content?.parts?.unshift({ text: 'One moment.' });
    const model = new ScriptLlm(waits, says('unused'));
    const root = new LlmAgent({ name: 'first', model, outputKey: 'color', tools: [ask] });
    const bench = createAgentBench(root, { state: { color: 'red' } });
    await bench.run();
    expect(bench.sessions.state(bench.key)).toEqual({ color: 'red' });
  });
});

describe('an answer without content', () => {
  const stop = { finishReason: FinishReason.STOP };
  const empty = { errorCode: 'MODEL_RETURNED_NO_CONTENT', author: 'helper' };
  test.each([
    ['nothing', stop],
    ['white space', { ...says(' \n')[0], ...stop }],
    ['a thought alone', { ...thinks()[0], ...stop }],
  ])('is an event with an error: %s', async (_, response) => {
    for (const streaming of [false, true]) {
      const model = new AnsweringLlm(new ScriptLlm([{ ...response, ...(streaming && { partial: false }) }]));
      const bench = createAgentBench(new LlmAgent({ name: 'helper', model }));
      const { events } = await bench.run({ streaming });
      expect(events).toMatchObject([{ ...empty, finishReason: 'STOP' }]);
      expect(bench.sessions.run(bench.key).end).toMatchObject({ outcome: AttemptEnd_Outcome.FAILED });
    }
  });

  test('is none of a stream whose last response only says that it is over', async () => {
    const parts = { ...says('blue')[0], partial: true };
    const model = new AnsweringLlm(new ScriptLlm([parts, { ...says('blue')[0] }, stop]));
    const bench = createAgentBench(new LlmAgent({ name: 'helper', model }));
    await bench.run({ streaming: true });
    expect(bench.sessions.run(bench.key).end).toMatchObject({ outcome: AttemptEnd_Outcome.COMPLETED });
  });
});
