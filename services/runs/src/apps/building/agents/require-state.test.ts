import { LlmAgent } from '@google/adk/core';
import { describe, expect, test } from 'vitest';
import { createAgentBench } from '../../../../test/run-agents.ts';
import { says, ScriptLlm } from '../../../../test/script-llm.ts';
import { requireState } from './require-state.ts';
import { requiredVariables } from './template-variables.ts';

function agentWith(instruction: string, { checked }: { checked: boolean }): LlmAgent {
  const agent = new LlmAgent({ name: 'clerk', model: new ScriptLlm(says('ok')), instruction });
  const place = { appName: 'shop', agentName: 'clerk', file: 'workers/clerk.yaml', instruction };
  if (checked) agent.requestProcessors = [...requireState(place), ...agent.requestProcessors];
  return agent;
}

describe('an instruction with variables', () => {
  test('ends the run with an event that names app, agent, file and variables where the state lacks one', async () => {
    const bench = createAgentBench(agentWith('Serve {customer} in {app:city}, {user:mood?}.', { checked: true }), {});
    const { events, failure } = await bench.run();
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      errorCode: 'TEMPLATE_VARIABLE_MISSING',
      errorMessage:
        'The instruction of agent "clerk" (app "shop", workers/clerk.yaml) needs {customer}, {app:city}, which the state of this ' +
        'session does not have. Set the key, or write {customer?} where it may be absent.',
    });
    expect(failure?.message).toBe(events[0]?.['errorMessage']);
  });

  test('runs where the state has them all', async () => {
    const bench = createAgentBench(agentWith('Serve {customer}, {mood?}.', { checked: true }), {
      state: { customer: 'Ann' },
    });
    expect((await bench.run()).events[0]).not.toHaveProperty('errorCode');
  });

  test.each([
    'none',
    '{a}',
    '{{a}}',
    '{ a }',
    '{a?}',
    '{a} {a?}',
    '{a?} {a}',
    '{a ?}',
    '{app:a}',
    '{user:a?}',
    '{temp:a}',
    '{other:a}',
    '{a:b:c}',
    '{"json": 1}',
    '{}',
    '{1a}',
    '{a.b}',
    '{a-b}',
    '{été}',
    '{a',
    'a}',
    '{a}}',
  ])('what %s needs is what ADK needs', async (instruction) => {
    const bench = createAgentBench(agentWith(instruction, { checked: false }), {});
    const [event] = (await bench.run()).events;
    expect(event?.['errorMessage'] !== undefined).toBe(requiredVariables(instruction).length > 0);
  });
});
