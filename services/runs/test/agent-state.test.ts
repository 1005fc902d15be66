import { FunctionTool, LlmAgent, SequentialAgent } from '@google/adk/core';
import { describe, expect, test } from 'vitest';
import { AnsweringLlm } from '../src/apps/building/agents/answering-llm.ts';
import { createAgentBench } from './run-agents.ts';
import { calls, says, ScriptLlm } from './script-llm.ts';

describe('state', () => {
  test('agents see what earlier agents of the run wrote', async () => {
    const first = new LlmAgent({ name: 'first', model: new ScriptLlm(says('blue')), outputKey: 'color' });
    const model = new ScriptLlm(says('ok'));
    const second = new LlmAgent({ name: 'second', model, instruction: 'It is {color}.' });
    const bench = createAgentBench(new SequentialAgent({ name: 'both', subAgents: [first, second] }));
    await bench.run();
    expect(JSON.stringify(model.requests[0]?.config?.systemInstruction)).toContain('It is blue.');
    expect(bench.sessions.state(bench.key)).toEqual({ color: 'blue' });
  });

  test('temporary keys are seen within the run and stored nowhere', async () => {
    const first = new LlmAgent({ name: 'first', model: new ScriptLlm(says('blue')), outputKey: 'temp:color' });
    const model = new ScriptLlm(says('ok'));
    const second = new LlmAgent({ name: 'second', model, instruction: 'It is {temp:color}.' });
    const bench = createAgentBench(new SequentialAgent({ name: 'both', subAgents: [first, second] }));
    await bench.run();
    expect(JSON.stringify(model.requests[0]?.config?.systemInstruction)).toContain('It is blue.');
    expect(JSON.stringify(bench.sessions.events(bench.key))).not.toContain('temp:');
  });

  test('a PATCH by others during a run is visible to the next step', async () => {
    const execute = () => {
      bench.sessions.patch(bench.key, { topic: 'ships', gone: null });
      return 'ok';
    };
    const patch = new FunctionTool({ name: 'patch', description: 'patches', execute });
    const model = new ScriptLlm(calls('patch'), says('ok'));
    const bench = createAgentBench(
      new LlmAgent({
        name: 'helper',
        model: new AnsweringLlm(model),
        tools: [patch],
        instruction: 'On {topic} {gone?}.',
      }),
      { state: { topic: 'cars', gone: 'x' } },
    );
    await bench.run();
    expect(JSON.stringify(model.requests[1]?.config?.systemInstruction)).toContain('On ships .');
  });
});
