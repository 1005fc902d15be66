import { FunctionTool, LlmAgent, type LlmRequest } from '@google/adk';
import { AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test } from 'vitest';
import { type AgentBench, createAgentBench } from './run-agents.ts';
import { calls, says, ScriptLlm, type ScriptStep } from './script-llm.ts';

/** A bench whose agent has a tool, and whose messages are added by what happens in the run. */
function benchOf(onTool: (bench: AgentBench) => void, ...steps: ((bench: AgentBench) => ScriptStep)[]) {
  const execute = () => {
    onTool(bench);
    return 'done';
  };
  const work = new FunctionTool({ name: 'work', description: 'Works.', execute });
  const model = new ScriptLlm(
    ...steps.map((make) => (request: LlmRequest, signal?: AbortSignal) => {
      const step = make(bench);
      return typeof step === 'function' ? step(request, signal) : answer(step);
    }),
  );
  const bench: AgentBench = createAgentBench(new LlmAgent({ name: 'helper', model, tools: [work] }));
  return { bench, model };
}

async function* answer<T>(responses: readonly T[]): AsyncIterable<T> {
  yield* responses;
}

/** A request of a model: its texts, and the names of its calls and responses. */
function sentTo({ requests }: ScriptLlm, index: number): unknown[] {
  const parts = requests[index]?.contents.flatMap((content) => content.parts ?? []) ?? [];
  return parts.map(({ text, functionCall, functionResponse }) => {
    if (functionCall !== undefined) return `call ${functionCall.name}`;
    return functionResponse === undefined ? text : `response ${functionResponse.name}`;
  });
}

const nothing = (): void => undefined;

describe('a message that is added to a run', () => {
  test('while a tool works is seen by the next model call, behind the response', async () => {
    const { bench, model } = benchOf(
      ({ sessions, key }) => sessions.address(key, 'and faster'),
      () => calls('work'),
      () => says('done'),
    );
    await bench.run();
    expect(sentTo(model, 1)).toEqual(['hello', 'call work', 'response work', 'and faster']);
    expect(model.requests).toHaveLength(2);
  });

  test('while the model makes a call is seen once the call is answered', async () => {
    const { bench, model } = benchOf(
      nothing,
      ({ sessions, key }) => {
        sessions.address(key, 'and faster');
        return calls('work');
      },
      () => says('done'),
    );
    await bench.run();
    expect(sentTo(model, 1)).toEqual(['hello', 'call work', 'response work', 'and faster']);
    expect(model.requests).toHaveLength(2);
  });

  test('while the model gives its last answer makes the agent go on', async () => {
    let added = false;
    const { bench, model } = benchOf(nothing, ({ sessions, key }) => {
      if (!added) sessions.address(key, 'one more thing');
      added = true;
      return says(`answer ${model.requests.length}`);
    });
    const { events } = await bench.run();
    expect(sentTo(model, 1)).toEqual(['hello', 'answer 1', 'one more thing']);
    expect(events).toHaveLength(2);
    expect(model.requests).toHaveLength(2);
    expect(bench.sessions.run(bench.key).end?.outcome).toBe(AttemptEnd_Outcome.COMPLETED);
    await bench.run({ text: 'next' });
    expect(sentTo(model, 2)).toHaveLength(5);
  });
});
