import { FunctionTool, LlmAgent, type LlmRequest } from '@google/adk/core';
import { completeActions, type EventJson, toWireEvent } from '@agentmesh/proto/event';
import { AttemptEnd_Outcome, TurnSchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { type AgentBench, createAgentBench, createAppBench } from './run-agents.ts';
import { calls, says, ScriptLlm, type ScriptStep } from './script-llm.ts';
import { encode } from './stored-session.ts';

type Part = Record<string, unknown>;

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

  test('makes the agents begin again only when their loop before is left', async () => {
    const { app } = createAgentBench(new LlmAgent({ name: 'helper', model: new ScriptLlm(says('answer')) }));
    const loops: boolean[] = [];
    const bench = createAppBench({
      ...app,
      open: (options) => {
        expect(loops).not.toContain(false);
        const place = loops.push(false) - 1;
        if (place === 0) bench.sessions.address(bench.key, 'one more thing');
        const { loop, session } = app.open(options);
        const leave = () => {
          loops[place] = true;
          return loop.return();
        };
        return { session, loop: { next: () => loop.next(), return: leave } };
      },
    });
    await bench.run();
    expect(loops).toEqual([true, true]);
  });

  /** Starts the next attempt of a run that has these events, of which the last one was added while it waited. */
  async function goOn({ client, key, executor }: AgentBench, ...events: readonly (readonly [Part, boolean?])[]) {
    const messageJson = encode({ role: 'user', parts: [{ text: 'hello' }] });
    const { turn } = await client.beginTurn({ session: key, messageJson, owner: 'me', window: 64 });
    if (turn === undefined) throw new Error('the turn is taken');
    const { invocationId } = turn;
    const stored = events.map(([part, isAdded = false], index) => {
      const author = 'text' in part || index === events.length - 2 ? 'user' : 'helper';
      const id = (part['functionCall'] as { id?: string } | undefined)?.id;
      return toWireEvent({
        id: `${index}`,
        author,
        invocationId,
        timestamp: 1,
        content: { role: author === 'user' || 'functionResponse' in part ? 'user' : 'model', parts: [part] },
        actions: completeActions('functionResponse' in part && author === 'helper' ? asksToConfirm : {}),
        ...(id === 'asked' && { longRunningToolIds: [id] }),
        ...(isAdded && { customMetadata: { addedToRun: true } }),
      } as EventJson);
    });
    const answer = encode({ role: 'user', parts: [events.at(-2)?.[0]] });
    const { sessionPk, fence } = turn;
    await client.appendEvents({ accountId: 'a', sessionPk, invocationId, fence, lastSeq: 1, events: stored });
    const all = [...turn.events, ...stored.map(({ json }) => json)];
    executor.start(
      create(TurnSchema, {
        ...turn,
        attempt: 2,
        events: all,
        lastSeq: all.length,
        turnStarts: [1],
        messageJson: answer,
      }),
    );
    await executor.idle();
  }

  const asksToConfirm = { requestedToolConfirmations: { w: { hint: '', confirmed: false } } };
  const call = (name: string, id: string, args: object = {}): Part => ({ functionCall: { id, name, args } });
  const response = (name: string, id: string, answer: object): Part => ({
    functionResponse: { id, name, response: answer },
  });

  test('while it waited for an answer is seen with the answer, by the agent that had asked', async () => {
    const { bench, model } = benchOf(nothing, () => says('done'));
    await goOn(bench, [call('ask', 'asked')], [response('ask', 'asked', {})], [{ text: 'and faster' }, true]);
    expect(sentTo(model, 0)).toEqual(['hello', 'call ask', 'response ask', 'and faster']);
    expect(model.requests).toHaveLength(1);
  });

  test('while it waited for an approval that a tool had asked for is seen behind the answer of the tool', async () => {
    let made = 0;
    const { bench, model } = benchOf(
      () => void (made += 1),
      () => says('done'),
    );
    const args = { originalFunctionCall: { id: 'w', name: 'work', args: {} }, toolConfirmation: { confirmed: false } };
    await goOn(
      bench,
      [call('work', 'w')],
      [response('work', 'w', { asks: true })],
      [call('adk_request_confirmation', 'asked', args)],
      [response('adk_request_confirmation', 'asked', { confirmed: true })],
      [{ text: 'and faster' }, true],
    );
    expect(made).toBe(1);
    expect(sentTo(model, 0)).toEqual(['hello', 'call work', 'response work', 'and faster']);
  });
});
